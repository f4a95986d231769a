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
 * Begins the calls of all annotated methods. Each call joins or acquires a lease. {@link CallsWithoutLease} handles
 * each call that gets no lease. A blocking call does all this on the caller's thread, and has begun when {@link #begin}
 * returns. Thread-safe.
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

    /**
     * The beginning of a call: the call if it has a lease, or otherwise the result that the caller gets in place of the
     * method's result.
     */
    record Beginning(@Nullable LeaseCall call, @Nullable Object result) {

        /** Ends the call, because the caller no longer wants it. */
        void discard() {
            if (call != null) {
                var unused = call.ended();
            }
        }
    }

    /**
     * The caller of an annotated method.
     *
     * @param frame the enclosing call under a lease; {@code null} if there is none
     * @param observation the caller's observation; {@code null} selects the observation of the calling thread, if any
     * @param executor runs the rest of the call after the acquire and after each later wait, even if the manager
     *     replies at once; {@code null} for a caller that blocks. If the executor rejects a task, the submitting thread
     *     runs the task. If the acquire throws, the rest of the call runs on the calling thread
     * @param firing the firing that calls the method; {@code null} if the caller is not a scheduler
     * @param asking sends the acquire to the manager
     * @param later executes the method after a wait for its run, if the run is not done when the lease becomes free
     * @param beginning receives the beginning of the call, or the exception for the caller. If a dependent of this
     *     future runs the method, add the dependent before {@link #begin} is called; otherwise the adding thread may
     *     run the method. Cancelling the future gives up the acquire
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

        /**
         * Returns the executor for the rest of the call after a wait. For a blocking caller, the executor is the thread
         * that has waited.
         */
        Executor afterWaits() {
            return executor == null ? Runnable::run : executor;
        }
    }

    /** The way in which a caller acquires its lease from the manager. */
    interface Asking {

        Asking WITHOUT_THREAD =
                (manager, request) -> MockedManager.checked(manager.acquireAsync(request), manager, request);

        /**
         * Acquires the lease. A refusal is reported in one of three ways: the future has an empty result, the future
         * fails, or this method throws.
         */
        CompletableFuture<Optional<Lease>> acquire(LeaseManager manager, LeaseRequest request);

        /**
         * Returns the request with the name of its run. To find the name, the manager may have to read DynamoDB's time.
         */
        default LeaseRequest ofRun(Supplier<LeaseRequest> named) {
            return named.get();
        }

        /** Returns the exception that the call gets for this refusal. By default, this is the refusal itself. */
        default Throwable refusal(Throwable refusal) {
            return refusal;
        }

        /** Returns whether the application is closing. If it is, the call must not begin. */
        default boolean isClosing() {
            return false;
        }
    }

    /** Begins a call, and completes {@link Caller#beginning} when the call has begun. Throws nothing. */
    void begin(MethodInvocation invocation, LeasePolicy policy, Caller caller) {
        try {
            joinOrAcquire(invocation, policy, caller);
        } catch (Throwable e) { // for example from the expression of a key
            if (caller.firing() != null) {
                caller.firing().became(FiringOutcome.of(e));
            }
            caller.beginning().completeExceptionally(e);
        }
    }

    /** Logs the failure of a scheduled call, because such a call has no caller that could receive the exception. */
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
        private LeaseRequest request; // begin() adds the name of the run

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
            } catch (Throwable failure) { // a refusal of a blocking acquire, or an exception of another manager
                hand(caller.beginning(), () -> refused(acquire, unwrapped(failure)));
                return;
            }
            // the rest must run neither on the thread that completes the answer nor on the calling thread, if the
            // answer comes first
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

        /**
         * Returns whether this node waits after the refusal: for a run that another owner has begun, or until the table
         * answers.
         */
        private boolean isAwaited(Throwable refusal) {
            return refusal instanceof LeaseUnavailableException held
                    ? request.once() != null && held.pause().isEmpty()
                    : refusal instanceof LeaseStoreException && policy.awaitsStore(caller.firing(), manager, request);
        }

        /**
         * Waits for the run. {@code outage} is the failure of the store; {@code null} if another owner holds the lease.
         */
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

        /**
         * Records the outcome of a firing that gets no lease now. Returns whether the firing waits, either until its
         * run has ended on another node or until the table answers.
         */
        private boolean noted(Firing firing, Throwable refusal) {
            FiringOutcome outcome = refusal instanceof FiringAcquires.ClosingException
                    ? FiringOutcome.CLOSING
                    : FiringOutcome.of(refusal);
            boolean awaited = isAwaited(refusal);
            firing.became(awaited ? outcome.waiting() : outcome); // before the waiter records the outcome of the wait
            if (awaited) {
                awaitRun(firing, refusal instanceof LeaseStoreException outage ? outage : null);
            }
            return awaited;
        }

        private static boolean hasFailed(@Nullable Firing firing) {
            return firing != null && firing.outcome().kind() == FiringOutcome.Kind.FAILED;
        }

        /** Returns the beginning of a call that gets no lease, or throws the exception for the caller. */
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
