package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.internal.Quietly;
import io.leasekit.log.CallLog;
import io.leasekit.spring.policy.LeaseOnce;
import io.leasekit.spring.schedule.JobSchedulers;
import io.leasekit.text.Text;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the lease of a run is free, and starts the run here if it is not done then. The thread that sets {@code ended}
 * decides about the lease: if the body starts, the body owns the lease; otherwise the lease is released. A lease that is no
 * longer valid when the body could start is released, too, and the wait goes on. Thread-safe.
 */
final class RunWaiter {

    private static final Logger log = LoggerFactory.getLogger(RunWaiter.class);

    private final LeaseOnce once;
    private final LeaseRequest request;
    private final Consumer<Lease> body;
    private final Consumer<RunWaiter> atEnd;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean stopped; // ended by a stop, so no body owns the lease
    private volatile @Nullable CompletableFuture<Optional<Lease>> acquiring;

    /** Creates the waiter for the run of a request. {@code atEnd} is called at least once after the wait has ended. */
    RunWaiter(LeaseOnce once, LeaseRequest request, Consumer<Lease> body, Consumer<RunWaiter> atEnd) {
        this.once = once;
        this.request = request.waitFor(LeaseRequest.UNLIMITED);
        this.body = body;
        this.atEnd = atEnd;
    }

    /** Returns the method and the key. There is one waiter at a time for each of these ids. */
    String id() {
        return once.method() + " " + request.key();
    }

    private String run() {
        return String.valueOf(request.once());
    }

    /** Returns whether the end of this wait is that of a wait for the other one's run, too, because that is the same or older. */
    boolean covers(RunWaiter other) {
        int order = Text.compareAsDynamoDb(run(), other.run());
        return order == 0 || (order > 0 && request.onceOrder() == OnceOrder.GROWING);
    }

    /** Ends this wait for that of another run. Runs in any order do not replace each other: this one may be left undone. */
    void giveWayTo(RunWaiter other) {
        if (request.onceOrder() == OnceOrder.ANY && !ended.get()) {
            Quietly.run(() -> log.info(
                    "Waiting for run '{}' of '{}', no longer for run '{}': if that fails elsewhere, a later firing must name it",
                    other.run(),
                    once.method(),
                    run()));
        }
        stop();
    }

    /** Begins to wait, also again after a lease that was not valid when its run could start. */
    void begin(LeaseManager manager, JobSchedulers schedulers) {
        Quietly.run(() ->
                log.debug("The lease for run '{}' of '{}' is held; waiting until it is free", run(), once.method()));
        CompletableFuture<Optional<Lease>> future = manager.acquireAsync(request);
        acquiring = future;
        var unused = future.whenComplete((answer, error) -> {
            if (error != null) {
                onError(manager, error);
            } else if (answer.isPresent()) {
                schedule(answer.get(), manager, schedulers);
            } else {
                end(); // the run is done
            }
        });
        if (stopped) { // in the meantime; the body, which also ends the wait, may run by now
            giveBack(future);
        }
    }

    private void onError(LeaseManager manager, Throwable error) {
        if (end()) {
            CallLog.log(
                    manager,
                    () -> log.warn("Waiting for run '{}' of '{}' failed: {}", run(), once.method(), Text.why(error)),
                    () -> log.debug("Waiting for run '{}' of '{}' failed", run(), once.method(), error));
        }
    }

    private void schedule(Lease lease, LeaseManager manager, JobSchedulers schedulers) {
        if (!ended.get()) {
            schedulers.start(once.schedule().scheduler(), () -> start(lease, manager, schedulers), this::onRejected);
        }
    }

    /** Releases the lease, so that another node can run what this one has no thread for. */
    private void onRejected(Throwable rejection) {
        if (!ended.get()) {
            Quietly.run(() -> log.warn(
                    "Run '{}' of '{}' is left to other nodes, because the scheduler rejected it: {}",
                    run(),
                    once.method(),
                    Text.why(rejection)));
        }
        stop();
    }

    private void start(Lease lease, LeaseManager manager, JobSchedulers schedulers) {
        if (isNotValid(lease)) {
            waitAgain(lease, manager, schedulers);
        } else if (end()) {
            Quietly.run(() -> log.info(
                    "Run '{}' of '{}' was not recorded as done when its key became free, and runs here",
                    run(),
                    once.method()));
            body.accept(lease);
        }
    }

    /**
     * Returns whether the lease is lost, or not confirmed after a jump of a clock. The scheduler may have had no thread for long.
     */
    private static boolean isNotValid(Lease lease) {
        try {
            return !lease.isValid();
        } catch (Throwable e) { // of a lease that the application decorates
            return false;
        }
    }

    private void waitAgain(Lease notValid, LeaseManager manager, JobSchedulers schedulers) {
        if (ended.get()) {
            return;
        }
        Quietly.run(() -> LeaseCall.releaseUnused(notValid));
        try {
            begin(manager, schedulers);
        } catch (Throwable e) { // of a manager of the application
            onError(manager, e);
        }
    }

    /** Ends the wait. If the body has not started, the lease is released. */
    void stop() {
        if (end()) {
            stopped = true; // before this read, so either this method or begin() sees the other's write
            CompletableFuture<Optional<Lease>> future = acquiring;
            if (future != null) {
                giveBack(future);
            }
        }
    }

    private static void giveBack(CompletableFuture<Optional<Lease>> future) {
        if (!future.cancel(true)) {
            var unused = future.thenAccept(answer -> answer.ifPresent(LeaseCall::releaseUnused));
        }
    }

    /** Ends the wait; returns whether this call ended it. */
    private boolean end() {
        boolean first = ended.compareAndSet(false, true);
        atEnd.accept(this);
        return first;
    }
}
