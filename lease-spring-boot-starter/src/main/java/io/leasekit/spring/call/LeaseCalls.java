package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.AcquireRefusal;
import io.leasekit.internal.Quietly;
import io.leasekit.log.CallLog;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.leasekit.spring.policy.LeaseOnce;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.text.Text;
import io.micrometer.observation.Observation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins all calls: joins or acquires a lease, or decides what happens without one. A blocking call asks the manager on
 * its own thread, stays on it, and has begun when it is back. Thread-safe.
 */
final class LeaseCalls {

    private static final Logger log = LoggerFactory.getLogger(LeaseCalls.class);

    private final LeaseManagers managers;
    private final CallSpans.Factory spans;
    private final CallsWithoutLease withoutLease;
    private final RunWaiters waiters;

    LeaseCalls(LeaseManagers managers, CallSpans.Factory spans, CallsWithoutLease withoutLease, RunWaiters waiters) {
        this.managers = managers;
        this.spans = spans;
        this.withoutLease = withoutLease;
        this.waiters = waiters;
    }

    /** The beginning of a call: under a lease, or with a result in place of the method's. */
    record Beginning(@Nullable LeaseCall call, @Nullable Object result) {

        /** Ends the call if nobody takes it. */
        void discard() {
            if (call != null) {
                var unused = call.ended();
            }
        }
    }

    /**
     * The caller of a call.
     *
     * @param frame the call under a lease that makes this one; {@code null} if there is none
     * @param observation the caller's observation; {@code null} for that of the calling thread, if any
     * @param executor runs the rest of the call after the manager was asked, however fast it answers, and after each later
     *     wait; {@code null} for a caller that blocks. If it takes no task, the thread that gave it the task runs it. If its
     *     acquire throws in place of an answer, the calling thread goes on
     * @param firing the firing that makes the call; {@code null} if other code does
     * @param asking asks the manager
     * @param later executes the method if its run is not done when the lease becomes free
     * @param beginning receives how the call begins, or the exception for the caller. Dependents that run the
     *     method are added before the call is begun, as a caller that adds them late would run it. A cancel gives the acquire up
     */
    record Caller(
            @Nullable LeaseFrame frame,
            @Nullable Observation observation,
            @Nullable Executor executor,
            @Nullable Firing firing,
            Asking asking,
            Consumer<LeaseCall> later,
            CompletableFuture<Beginning> beginning) {

        Caller {
            executor = executor == null ? null : RunOnce.onOrHere(executor);
        }

        /** Returns what runs the rest of the call after a wait; for a caller that blocks, the thread that has waited. */
        Executor afterWaits() {
            return executor == null ? Runnable::run : executor;
        }
    }

    /** The way in which a caller asks the manager. */
    interface Asking {

        /** Asks without a thread. */
        Asking WITHOUT_THREAD =
                (manager, request) -> MockedManager.checked(manager.acquireAsync(request), manager, request);

        /** Acquires. A refusal is an empty result, an exception, or the exception of the future. */
        CompletableFuture<Optional<Lease>> acquire(LeaseManager manager, LeaseRequest request);

        /** Returns the request with the name of its run, for which the manager may have to read the time. */
        default LeaseRequest ofRun(Supplier<LeaseRequest> named) {
            return named.get();
        }

        /** Returns the exception that stands for this refusal. */
        default Throwable refusal(Throwable refusal) {
            return refusal;
        }

        /** Returns whether the context closes, so that the call must not begin. */
        default boolean isClosing() {
            return false;
        }
    }

    /** Begins a call, and tells the caller's future how. Throws nothing. */
    void begin(MethodInvocation invocation, LeasePolicy policy, Caller caller) {
        try {
            joinOrAcquire(invocation, policy, caller);
        } catch (Throwable e) { // such as that of the expression of a key
            if (caller.firing() != null) {
                caller.firing().became(FiringOutcome.of(e));
            }
            caller.beginning().completeExceptionally(e);
        }
    }

    /** Logs the failure of a scheduled call that no caller gets. */
    void logFailed(LeasePolicy policy, Throwable failure) {
        Quietly.run(() -> log(policy, failure));
    }

    private void log(LeasePolicy policy, Throwable failure) {
        if (!(failure instanceof LeaseException)) {
            log.error("Scheduled call of '{}' failed", policy.method(), failure);
            return;
        }
        Runnable error = () -> log.error("Scheduled call of '{}' failed: {}", policy.method(), Text.why(failure));
        Runnable debug = () -> log.debug("Scheduled call of '{}' failed", policy.method(), failure);
        if (failure instanceof LeaseStoreException) {
            CallLog.log(managers.get(policy.manager()), error, debug);
        } else {
            error.run();
            debug.run();
        }
    }

    private void joinOrAcquire(MethodInvocation invocation, LeasePolicy policy, Caller caller) {
        LeaseRequest plain = policy.request(invocation.getThis(), invocation.getArguments());
        LeaseManager manager = managers.get(policy.manager());
        SharedLease outer = LeaseFrame.join(caller.frame(), manager, plain);
        if (outer != null) {
            join(invocation, policy, call(policy, outer, null, (failure, cutOff) -> {}, caller), caller);
            return;
        }
        LeaseFrame.refuseHeld(caller.frame(), manager, plain);
        new Acquire(invocation, policy, manager, caller, plain).begin();
    }

    /** The acquire of one call. */
    private final class Acquire {

        private final MethodInvocation invocation;
        private final LeasePolicy policy;
        private final LeaseManager manager;
        private final Caller caller;
        private final CallSpans observed;
        private LeaseRequest request; // gets the name of its run in the beginning

        Acquire(
                MethodInvocation invocation,
                LeasePolicy policy,
                LeaseManager manager,
                Caller caller,
                LeaseRequest request) {
            this.invocation = invocation;
            this.policy = policy;
            this.manager = manager;
            this.caller = caller;
            this.observed = spans.of(request, caller.observation());
            this.request = request;
        }

        void begin() {
            LeaseRequest plain = request;
            try {
                request = caller.asking()
                        .ofRun(() -> policy.once()
                                .applyTo(
                                        plain,
                                        manager,
                                        invocation.getThis(),
                                        invocation.getArguments(),
                                        caller.firing()));
                if (caller.firing() != null) {
                    caller.firing().isFor(request.once());
                }
            } catch (LeaseException | FiringAcquires.ClosingException e) {
                Throwable refusal = caller.asking().refusal(e);
                caller.afterWaits().execute(() -> hand(caller.beginning(), () -> instead(refusal)));
                return;
            }
            ask();
        }

        private void ask() {
            Observation acquire = observed.beginAcquire();
            CompletableFuture<Optional<Lease>> answer;
            try {
                answer = caller.asking().acquire(manager, request);
            } catch (Throwable failure) { // each refusal of a blocking acquire; also what another manager throws
                hand(caller.beginning(), () -> refused(acquire, unwrapped(failure)));
                return;
            }
            // the thread that brings the answer must not run the rest, and a caller that is slower than the answer
            // neither
            var unused = answer.whenCompleteAsync(
                    (lease, error) -> hand(
                            caller.beginning(),
                            () -> lease != null && lease.isPresent()
                                    ? granted(acquire, lease.get())
                                    : refused(acquire, refusal(answer, request, error))),
                    caller.afterWaits());
            passCancelOn(caller.beginning(), answer);
        }

        private Beginning granted(Observation acquire, Lease lease) throws Throwable {
            observed.granted(acquire, lease);
            if (caller.asking().isClosing()) {
                LeaseCall.releaseUnused(lease);
                return instead(new FiringAcquires.ClosingException(null));
            }
            String before = LeaseOnce.runBefore(lease);
            Quietly.run(() -> policy.once().warnOfOtherExpression(request, before));
            return new Beginning(underLease(lease, request, observed), null);
        }

        private Beginning refused(Observation acquire, Throwable refusal) throws Throwable {
            Throwable seen = caller.asking().refusal(refusal);
            observed.refused(acquire, seen);
            return instead(seen);
        }

        /** Returns whether to wait for the run that another owner has begun, or for a table that does not answer. */
        private boolean isAwaited(Throwable refusal) {
            return refusal instanceof LeaseUnavailableException held
                    ? request.once() != null && held.pause().isEmpty()
                    : refusal instanceof LeaseStoreException && policy.awaitsStore(caller.firing(), manager, request);
        }

        /** {@code outage}: the failure of the store; {@code null}: another owner holds the lease. */
        private void awaitRun(Firing firing, @Nullable LeaseStoreException outage) {
            waiters.await(
                    manager,
                    new RunWaiter.Run(
                            policy.once(),
                            request,
                            firing,
                            outage,
                            (lease, named) -> caller.later()
                                    .accept(underLease(lease, named, spans.of(named, caller.observation()))),
                            failure -> {
                                withoutLease.missed(policy, manager);
                                logFailed(policy, failure);
                            }));
        }

        private LeaseCall underLease(Lease lease, LeaseRequest granted, CallSpans spansOfLease) {
            boolean recorded = policy.once().isRecorded(granted);
            LeaseCall.RunEnding run = (failure, cutOff) -> {
                if (recorded) {
                    lease.recordRun(policy.once().outcome(granted, failure, cutOff || waiters.isClosed()), failure);
                }
            };
            return call(policy, new SharedLease(manager, lease, spansOfLease), spansOfLease, run, caller);
        }

        /** Notes what has become of a firing that gets no lease now; returns whether it waits for its run, or for the table. */
        private boolean noted(Firing firing, Throwable refusal) {
            FiringOutcome outcome = refusal instanceof FiringAcquires.ClosingException
                    ? FiringOutcome.CLOSING
                    : FiringOutcome.of(refusal);
            boolean awaited = isAwaited(refusal);
            firing.became(awaited ? outcome.waiting() : outcome); // before the waiter notes how the wait has ended
            if (awaited) {
                awaitRun(firing, refusal instanceof LeaseStoreException outage ? outage : null);
            }
            return awaited;
        }

        private static boolean hasFailed(@Nullable Firing firing) {
            return firing != null && firing.outcome().kind() == FiringOutcome.Kind.FAILED;
        }

        /** Each call that gets no lease comes here. */
        private Beginning instead(Throwable refusal) throws Throwable {
            if (refusal instanceof LeaseAlreadyRanException && hasFailed(caller.firing())) {
                throw refusal; // advice repeats the call, and would take a skip for a success
            }
            boolean awaited = caller.firing() != null && noted(caller.firing(), refusal);
            if (refusal instanceof FiringAcquires.ClosingException) {
                return new Beginning(null, withoutLease.closing(policy));
            }
            if (refusal instanceof LeaseAlreadyRanException e) {
                return new Beginning(null, withoutLease.alreadyRan(policy, request, e));
            }
            if (refusal instanceof LeaseUnavailableException e) {
                return new Beginning(null, withoutLease.unavailable(invocation, policy, request, e));
            }
            if (awaited && refusal instanceof LeaseStoreException e) {
                return new Beginning(null, withoutLease.waiting(policy, e));
            }
            if (refusal instanceof LeaseStoreException e) {
                return new Beginning(null, withoutLease.storeFailed(policy, managers.get(policy.manager()), e));
            }
            throw refusal;
        }
    }

    static void passCancelOn(CompletableFuture<?> from, CompletionStage<?> to) {
        var unused = from.whenComplete((value, failure) -> {
            if (from.isCancelled() && to instanceof CompletableFuture<?> work) {
                work.cancel(true);
            }
        });
    }

    /** Returns why an acquire got no lease. */
    static Throwable refusal(
            CompletableFuture<Optional<Lease>> acquiring, LeaseRequest request, @Nullable Throwable error) {
        if (error != null) {
            return unwrapped(error);
        }
        RuntimeException known = acquiring instanceof AcquireRefusal future ? future.refusal() : null;
        return known != null
                ? known
                : new LeaseUnavailableException(
                        "Lease " + Text.quote(request.key()) + " is held by another owner, waited "
                                + Text.duration(request.waitFor()),
                        null);
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Decides how a call begins. */
    private interface Decision {
        Beginning make() throws Throwable;
    }

    private static void hand(CompletableFuture<Beginning> to, Decision decision) {
        try {
            hand(to, decision.make());
        } catch (Throwable failure) {
            to.completeExceptionally(failure);
        }
    }

    private static void join(MethodInvocation invocation, LeasePolicy policy, LeaseCall call, Caller caller) {
        try {
            policy.once().refuseOtherRun(call.lease(), invocation.getThis(), invocation.getArguments());
            policy.parameters().refuseWithoutProgress(policy.method(), call.lease(), invocation.getArguments());
        } catch (Throwable e) {
            var unused = call.leave();
            throw e;
        }
        CompletableFuture<Void> confirmed = call.confirmed().toCompletableFuture();
        var unused = confirmed.whenCompleteAsync(
                (done, failure) -> handJoined(caller.beginning(), call, failure),
                confirmed.isDone() ? Runnable::run : caller.afterWaits());
    }

    private static void handJoined(CompletableFuture<Beginning> to, LeaseCall call, @Nullable Throwable failure) {
        if (failure == null) {
            hand(to, new Beginning(call, null));
        } else {
            var unused = call.failed(failure);
            to.completeExceptionally(failure);
        }
    }

    private static void hand(CompletableFuture<Beginning> to, Beginning beginning) {
        if (!to.complete(beginning)) {
            beginning.discard();
        }
    }

    private static LeaseCall call(
            LeasePolicy policy,
            SharedLease shared,
            @Nullable CallSpans observed,
            LeaseCall.RunEnding run,
            Caller caller) {
        LeaseFrame frame = LeaseFrame.within(caller.frame(), shared, policy.onLost() != OnLost.NOTIFY);
        return new LeaseCall(policy.onLost(), shared, frame, observed, run, caller.firing(), caller.executor());
    }
}
