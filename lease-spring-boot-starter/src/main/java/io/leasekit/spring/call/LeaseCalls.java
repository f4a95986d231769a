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
import io.leasekit.text.Text;
import io.micrometer.observation.Observation;
import java.util.Objects;
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
     *     wait; {@code null} for a caller that blocks. If it takes no task, the thread that gave it the task runs it. A manager
     *     that throws in place of an answer was not asked: the calling thread goes on
     * @param firing whether the call is a firing
     * @param asking asks the manager
     * @param later executes the method if its run is not done when the lease becomes free
     * @param beginning receives how the call begins, or the exception for the caller. Its dependents are added before the call
     *     is begun, because they run the method, and that must not be done by a caller that adds them late. A cancel gives the
     *     acquire up
     */
    record Caller(
            @Nullable LeaseFrame frame,
            @Nullable Observation observation,
            @Nullable Executor executor,
            boolean firing,
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
    }

    /** Begins a call, and tells the caller's future how. Throws nothing. */
    void begin(MethodInvocation invocation, LeasePolicy policy, Caller caller) {
        try {
            joinOrAcquire(invocation, policy, caller);
        } catch (Throwable e) {
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
        acquire(invocation, policy, caller, manager, plain);
    }

    private void acquire(
            MethodInvocation invocation, LeasePolicy policy, Caller caller, LeaseManager manager, LeaseRequest plain) {
        CallSpans observed = spans.of(plain, caller.observation());
        LeaseRequest request;
        try {
            request = caller.asking()
                    .ofRun(() -> policy.once()
                            .applyTo(plain, manager, invocation.getThis(), invocation.getArguments(), caller.firing()));
        } catch (LeaseException e) {
            Throwable refusal = caller.asking().refusal(e);
            caller.afterWaits()
                    .execute(() -> decide(caller.beginning(), () -> instead(invocation, policy, plain, refusal)));
            return;
        }
        boolean awaitsRun = request.once() != null && caller.firing();
        acquire(manager, request, observed, caller, (lease, refusal) -> {
            if (lease != null) {
                String before = LeaseOnce.runBefore(lease);
                Quietly.run(() -> policy.once().warnOfOtherExpression(request, invocation.getThis(), before));
                return new Beginning(underLease(policy, manager, request, lease, observed, caller), null);
            }
            if (awaitsRun
                    && refusal instanceof LeaseUnavailableException held
                    && held.pause().isEmpty()) {
                awaitRun(policy, manager, request, caller);
            }
            return instead(invocation, policy, request, refusal);
        });
    }

    /** Decides how a call begins, with a lease or with the exception that refuses it. */
    private interface Decision {
        Beginning of(@Nullable Lease lease, @Nullable Throwable refusal) throws Throwable;
    }

    private static void acquire(
            LeaseManager manager, LeaseRequest request, CallSpans observed, Caller caller, Decision decision) {
        Observation acquire = observed.beginAcquire();
        Decision observedDecision = (lease, refusal) -> {
            if (lease != null) {
                return granted(lease, observed, acquire, decision);
            }
            Throwable seen = caller.asking().refusal(Objects.requireNonNull(refusal));
            observed.refused(acquire, seen);
            return decision.of(null, seen);
        };
        CompletableFuture<Optional<Lease>> acquiring;
        try {
            acquiring = caller.asking().acquire(manager, request);
        } catch (Throwable failure) { // the manager refuses at once, as a closed one does
            decide(caller.beginning(), () -> observedDecision.of(null, unwrapped(failure)));
            return;
        }
        // the thread that brings the answer must not run the rest, and a caller that is slower than the answer neither
        var unused = acquiring.whenCompleteAsync(
                (answer, error) -> decide(
                        caller.beginning(),
                        () -> answer != null && answer.isPresent()
                                ? observedDecision.of(answer.get(), null)
                                : observedDecision.of(null, refusal(acquiring, request, error))),
                caller.afterWaits());
        passCancelOn(caller.beginning(), acquiring);
    }

    private static Beginning granted(Lease lease, CallSpans observed, Observation acquire, Decision decision)
            throws Throwable {
        try {
            observed.granted(acquire, lease);
            return decision.of(lease, null);
        } catch (Throwable failure) {
            Quietly.run(
                    () -> LeaseCall.releaseUnused(lease)); // no call has the lease yet, so nobody else would release it
            throw failure;
        }
    }

    static void passCancelOn(CompletableFuture<?> from, CompletionStage<?> to) {
        var unused = from.whenComplete((value, failure) -> {
            if (from.isCancelled() && to instanceof CompletableFuture<?> work) {
                work.cancel(true);
            }
        });
    }

    private static Throwable refusal(
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

    @FunctionalInterface
    private interface Choice {
        Beginning make() throws Throwable;
    }

    private static void decide(CompletableFuture<Beginning> beginning, Choice decision) {
        try {
            hand(beginning, decision.make());
        } catch (Throwable failure) {
            beginning.completeExceptionally(failure);
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

    private LeaseCall underLease(
            LeasePolicy policy,
            LeaseManager manager,
            LeaseRequest request,
            Lease lease,
            CallSpans observed,
            Caller caller) {
        boolean recorded = policy.once().isRecorded(request);
        LeaseCall.RunEnding run = (failure, cutOff) -> {
            if (recorded) {
                lease.recordRun(policy.once().outcome(request, failure, cutOff || waiters.isClosed()), failure);
            }
        };
        return call(policy, new SharedLease(manager, lease, observed), observed, run, caller);
    }

    private static LeaseCall call(
            LeasePolicy policy,
            SharedLease shared,
            @Nullable CallSpans observed,
            LeaseCall.RunEnding run,
            Caller caller) {
        LeaseFrame frame = LeaseFrame.within(caller.frame(), shared, policy.onLost() != OnLost.NOTIFY);
        return new LeaseCall(policy.onLost(), shared, frame, observed, run, caller.executor());
    }

    private Beginning instead(
            MethodInvocation invocation, LeasePolicy policy, LeaseRequest request, @Nullable Throwable refusal)
            throws Throwable {
        if (refusal instanceof FiringAcquires.ClosingException) {
            return new Beginning(null, withoutLease.closing(policy));
        }
        if (refusal instanceof LeaseAlreadyRanException e) {
            return new Beginning(null, withoutLease.alreadyRan(policy, request, e));
        }
        if (refusal instanceof LeaseUnavailableException e) {
            return new Beginning(null, withoutLease.unavailable(invocation, policy, request, e));
        }
        if (refusal instanceof LeaseStoreException e) {
            return new Beginning(null, withoutLease.storeFailed(policy, managers.get(policy.manager()), e));
        }
        throw refusal == null ? new IllegalStateException("The acquire has no result") : refusal;
    }

    private void awaitRun(LeasePolicy policy, LeaseManager manager, LeaseRequest request, Caller caller) {
        waiters.await(
                policy.once(),
                manager,
                request,
                lease -> caller.later()
                        .accept(underLease(
                                policy, manager, request, lease, spans.of(request, caller.observation()), caller)));
    }
}
