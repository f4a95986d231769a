package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.Quietly;
import io.leasekit.log.CallLog;
import io.leasekit.spring.policy.LeaseOnce;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.spring.schedule.JobSchedulers;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until a run's lease is free, and then starts the run on this node unless the run is done. If the body starts
 * while another thread stops the wait, the thread that sets {@code ended} first wins. Thread-safe.
 */
final class RunWaiter {

    private static final Logger log = LoggerFactory.getLogger(RunWaiter.class);

    private final Run run;
    private final LeaseOnce once;
    private final Consumer<RunWaiter> atEnd;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile LeaseRequest request;
    private volatile boolean stopped; // stop() has ended the wait, so the body never starts
    // The running acquire of the lease, or the running read of DynamoDB's time.
    private volatile @Nullable CompletableFuture<?> waiting;

    /**
     * A scheduled run that must wait before it can begin.
     *
     * @param request the request for the lease; names no run while the run's slot is unknown
     * @param outage the failure of the store; {@code null} if another node has begun the run
     * @param missed receives the failure if the run waited for the store, and does not begin on this node
     */
    record Run(
            LeaseOnce once,
            LeaseRequest request,
            Firing firing,
            @Nullable LeaseStoreException outage,
            BiConsumer<Lease, LeaseRequest> body,
            Consumer<Throwable> missed) {}

    /** The waiter calls {@code atEnd} at least once after the wait has ended. */
    RunWaiter(Run run, Consumer<RunWaiter> atEnd) {
        this.run = run;
        this.once = run.once();
        this.request = run.request().waitFor(LeaseRequest.UNLIMITED);
        this.atEnd = atEnd;
    }

    String id() {
        return once.method() + " " + request.key();
    }

    private String name() {
        return String.valueOf(request.once());
    }

    /** Returns whether the other waiter is superfluous, because the other waiter's run is the same or older. */
    boolean covers(RunWaiter other) {
        if (request.once() == null || other.request.once() == null) {
            // While a run name is unknown, the waiter of the newer firing replaces this waiter.
            return false;
        }
        int order = Text.compareAsDynamoDb(name(), other.name());
        return order == 0 || (order > 0 && request.onceOrder() == OnceOrder.GROWING);
    }

    /** Records why this waiter does not begin; {@code earlier} is {@code null} if the application closes. */
    @SuppressWarnings("ReferenceEquality") // two waiters may have the same Firing object
    void isLeftOutFor(@Nullable RunWaiter earlier) {
        if (earlier == null) {
            run.firing().became(FiringOutcome.CLOSING);
        } else if (earlier.run.firing() != run.firing()) {
            run.firing().became(run.firing().outcome().left("An earlier firing waits for the run"));
        }
    }

    /** Logs the end of the wait if run names have no order, because perhaps no node executes this run. */
    @SuppressWarnings("ReferenceEquality") // two waiters may have the same Firing object
    void giveWayTo(RunWaiter other) {
        if (request.onceOrder() == OnceOrder.ANY && request.once() != null && !ended.get()) {
            Quietly.run(() -> log.info(
                    "Waiting for run {} of '{}', no longer for run {}: if that fails elsewhere, a later firing must name it",
                    Text.quote(other.name()),
                    once.method(),
                    Text.quote(name())));
        }
        LeaseStoreException outage = run.outage();
        boolean isOther = run.firing() != other.run.firing();
        boolean unanswered = outage != null && isOther && !isHeldElsewhere();
        FiringOutcome outcome = run.firing().outcome();
        if (stop(isOther ? outcome.left("A later firing has begun") : outcome) && unanswered) {
            run.missed().accept(outage);
        }
    }

    private boolean isHeldElsewhere() {
        return waiting instanceof AcquireObstacle acquire && acquire.seen().held();
    }

    void begin(LeaseManager manager, JobSchedulers schedulers) {
        if (request.once() != null) {
            acquire(manager, schedulers);
            return;
        }
        CompletableFuture<Instant> time = LeaseOnce.awaitTime(manager);
        waiting = time;
        var unused = time.whenComplete((now, error) -> {
            if (error != null) {
                onError(manager, error);
            } else if (!ended.get()) {
                acquireAt(now, manager, schedulers);
            }
        });
        cancelIfStopped(time);
    }

    private void acquireAt(Instant now, LeaseManager manager, JobSchedulers schedulers) {
        request = once.ofSlot(request, run.firing(), () -> now);
        run.firing().isFor(request.once());
        acquire(manager, schedulers);
    }

    private void acquire(LeaseManager manager, JobSchedulers schedulers) {
        Quietly.run(() -> log.debug(
                run.outage() == null
                        ? "The lease for run {} of '{}' is held; waiting until it is free"
                        : "The table does not answer; run {} of '{}' waits until it does",
                Text.quote(name()),
                once.method()));
        CompletableFuture<Optional<Lease>> future = manager.acquireAsync(request);
        waiting = future;
        var unused = future.whenComplete((answer, error) -> {
            if (error != null) {
                onError(manager, error);
            } else if (answer.isPresent()) {
                schedule(answer.get(), manager, schedulers);
            } else {
                // An empty answer means that the run is already done.
                end(FiringOutcome.of(LeaseCalls.refusal(future, request, null)));
            }
        });
        cancelIfStopped(future);
    }

    private void cancelIfStopped(CompletableFuture<?> future) {
        // Unlike 'stopped', the field 'ended' is also true once the body has started.
        if (stopped) {
            giveBack(future);
        }
    }

    private void onError(LeaseManager manager, Throwable error) {
        if (!end(FiringOutcome.of(error))) {
            return;
        }
        if (run.outage() != null) {
            run.missed().accept(error);
            return;
        }
        CallLog.log(
                manager,
                () -> log.warn(
                        "Waiting for run {} of '{}' failed: {}", Text.quote(name()), once.method(), Text.why(error)),
                () -> log.debug("Waiting for run {} of '{}' failed", Text.quote(name()), once.method(), error));
    }

    private void schedule(Lease lease, LeaseManager manager, JobSchedulers schedulers) {
        if (!ended.get()) {
            schedulers.start(once.schedule().scheduler(), () -> start(lease, manager, schedulers), this::onRejected);
        }
    }

    private void onRejected(Throwable rejection) {
        if (!ended.get()) {
            Quietly.run(() -> log.warn(
                    "Run {} of '{}' is left to other nodes, because the scheduler rejected it: {}",
                    Text.quote(name()),
                    once.method(),
                    Text.why(rejection)));
        }
        stop(run.firing().outcome().left("The scheduler has rejected it: " + Text.brief(rejection)));
    }

    private void start(Lease lease, LeaseManager manager, JobSchedulers schedulers) {
        if (!lease.isValid()) {
            // The lease may have expired while the scheduler had no free thread.
            waitAgain(lease, manager, schedulers);
        } else if (run.outage() == null) {
            runHere(
                    lease,
                    () -> log.info(
                            "Run {} of '{}' was not recorded as done when its key became free, and runs here",
                            Text.quote(name()),
                            once.method()));
        } else {
            startLate(lease, manager, run.outage());
        }
    }

    /** If the next slot has begun, the late run does not start, because the next slot's run replaces it. */
    private void startLate(Lease lease, LeaseManager manager, LeaseStoreException outage) {
        Instant now;
        boolean isOver;
        try {
            now = manager.time();
            isOver =
                    !name().equals(once.ofSlot(request, run.firing(), () -> now).once());
        } catch (Throwable e) {
            LeaseCall.releaseUnused(lease);
            onError(manager, e);
            return;
        }
        if (!isOver) {
            runHere(
                    lease,
                    () -> log.info(
                            "Run {} of '{}' begins {} late, because table {} did not answer",
                            Text.quote(name()),
                            once.method(),
                            Text.duration(Duration.between(Instant.parse(name()), now)),
                            LeaseOnce.table(manager)));
        } else if (stop(run.firing().outcome().left("The next slot has begun"))) {
            run.missed().accept(outage);
        }
    }

    private void runHere(Lease lease, Runnable line) {
        if (end(run.firing().outcome())) {
            Quietly.run(line);
            run.body().accept(lease, request);
        }
    }

    private void waitAgain(Lease notValid, LeaseManager manager, JobSchedulers schedulers) {
        if (ended.get()) {
            return;
        }
        LeaseCall.releaseUnused(notValid);
        begin(manager, schedulers);
    }

    /** Ends the wait and releases its lease; returns false if the wait has already ended. */
    boolean stop(FiringOutcome outcome) {
        if (!end(outcome)) {
            return false;
        }
        // Because 'stopped' is set before 'waiting' is read, stop() or cancelIfStopped() cancels the future.
        stopped = true;
        CompletableFuture<?> future = waiting;
        if (future != null) {
            giveBack(future);
        }
        return true;
    }

    private static void giveBack(CompletableFuture<?> future) {
        if (!future.cancel(true)) {
            var unused = future.thenAccept(answer -> {
                if (answer instanceof Optional<?> granted && granted.orElse(null) instanceof Lease lease) {
                    LeaseCall.releaseUnused(lease);
                }
            });
        }
    }

    private boolean end(FiringOutcome outcome) {
        boolean first = ended.compareAndSet(false, true);
        if (first) {
            run.firing().became(outcome);
        }
        atEnd.accept(this);
        return first;
    }
}
