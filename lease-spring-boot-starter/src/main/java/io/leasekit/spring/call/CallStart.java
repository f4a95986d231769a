package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.call.FiringAcquires.ClosingException;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.leasekit.spring.policy.LeaseOnce;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.policy.SkippedResult;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.text.Text;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The first part of a call of an annotated method, until the call has its lease. Several threads may use this object,
 * but never at the same time.
 */
final class CallStart {

    private final LeaseCalls calls;
    private final MethodInvocation invocation;
    private final LeasePolicy policy;
    private final @Nullable Firing firing;
    private final @Nullable FiringAcquires closing; // null if the acquire continues while the application closes
    private final @Nullable LeaseFrame outer;
    private final @Nullable Observation observation;
    private final BiConsumer<MethodInvocation, LeaseCall> later;
    private final LeaseManager manager;
    private final @Nullable LeaseCall joined;
    private final boolean releaseInBackground;
    private final CallSpans observed;
    private LeaseRequest request;

    /**
     * Joins the lease of the enclosing call {@code outer} if that lease covers the requested keys.
     *
     * @param firing the scheduler's call of the method; {@code null} if the caller is not a scheduler
     * @param later executes a copy of the invocation under the lease that a {@link RunWaiter} gets later
     */
    CallStart(
            LeaseCalls calls,
            MethodInvocation invocation,
            LeasePolicy policy,
            @Nullable Firing firing,
            @Nullable LeaseFrame outer,
            @Nullable Observation observation,
            BiConsumer<MethodInvocation, LeaseCall> later) {
        this.calls = calls;
        this.invocation = invocation;
        this.policy = policy;
        this.firing = firing;
        this.closing = firing != null
                        && SkippedResult.isPossible(invocation.getMethod().getReturnType())
                ? calls.firings()
                : null;
        this.outer = outer;
        this.observation = observation;
        this.later = later;
        try {
            this.request = policy.request(invocation.getThis(), invocation.getArguments());
            this.manager = calls.managers().get(policy.manager());
            this.releaseInBackground = calls.releaseInBackground().get();
            SharedLease shared = LeaseFrame.join(outer, manager, request);
            this.joined = shared == null ? null : join(shared);
            if (shared == null) {
                LeaseFrame.refuseHeld(outer, manager, request);
            }
            // no observation for a call that joins a lease, because the call is part of another call's work
            this.observed =
                    shared == null ? spans(request) : new CallSpans(ObservationRegistry.NOOP, observation, request);
        } catch (Throwable e) {
            if (firing != null) {
                firing.became(FiringOutcome.of(e));
            }
            throw e;
        }
    }

    private CallSpans spans(LeaseRequest observedRequest) {
        return new CallSpans(calls.observations().get(), observation, observedRequest);
    }

    private LeaseCall join(SharedLease shared) {
        try {
            policy.once().refuseOtherRun(shared.lease(), invocation.getThis(), invocation.getArguments());
            policy.parameters().refuseWithoutProgress(policy.method(), shared.lease(), invocation.getArguments());
        } catch (Throwable e) {
            var unused = shared.leaveAsync();
            throw e;
        }
        return call(shared, null, (failure, cutOff) -> {});
    }

    /** Returns the call if it has joined an enclosing call's lease; {@code null} if the call must acquire a lease. */
    @Nullable
    LeaseCall joined() {
        return joined;
    }

    /** If no lease is granted, throws an exception, which the caller must pass to {@link #instead}. */
    LeaseCall acquire() throws Throwable {
        nameRun();
        return granted(ask(() -> calling(() -> checked(manager.acquire(request)))));
    }

    /**
     * Does not block, except that a call by a scheduler may have to read DynamoDB's time first. If no lease is granted,
     * this method throws, or the future fails or has an empty result.
     */
    CompletableFuture<Optional<Lease>> acquireAsync() throws Throwable {
        nameRun();
        Supplier<CompletableFuture<Optional<Lease>>> acquire = () -> checked(manager.acquireAsync(request));
        return ask(closing == null ? acquire : () -> closing.withoutThread(acquire));
    }

    private <T> T ask(Supplier<T> acquire) throws Throwable {
        observed.beginAcquire();
        try {
            return acquire.get();
        } catch (CompletionException e) { // thrown by a manager that is not Leasekit's
            throw LeaseCalls.unwrapped(e);
        }
    }

    /** A mock in place of a manager returns {@code null} by default. */
    private <T> T checked(@Nullable T result) {
        if (result == null) {
            throw new IllegalStateException(
                    "The LeaseManager bean returned null for lease " + Text.quote(request.key()) + ". It is a "
                            + manager.getClass().getName()
                            + ", expected a manager that grants leases. In a test, set 'lease.enabled' to 'false' or define an"
                            + " InMemoryLeaseStore bean in place of a mock");
        }
        return result;
    }

    private void nameRun() {
        LeaseRequest plain = request;
        request = calling(
                () -> policy.once().applyTo(plain, manager, invocation.getThis(), invocation.getArguments(), firing));
        if (firing != null) {
            firing.isFor(request.once());
        }
    }

    /** If the application closes, this thread may be interrupted while it calls the manager for a firing. */
    private <T> T calling(Supplier<T> code) {
        return closing == null ? code.get() : closing.call(code);
    }

    LeaseRequest request() {
        return request;
    }

    /** If the application is closing, a firing's lease is released, and a {@link ClosingException} is thrown. */
    LeaseCall granted(Lease lease) {
        observed.granted(lease);
        if (closing != null && closing.isClosed()) {
            LeaseCall.releaseUnused(lease);
            throw new ClosingException(null);
        }
        String before = LeaseOnce.runBefore(lease);
        Quietly.run(() -> policy.once().warnOfOtherExpression(request, before));
        return underLease(lease, request, observed);
    }

    private LeaseCall underLease(Lease lease, LeaseRequest granted, CallSpans spans) {
        boolean recorded = policy.once().isRecorded(granted);
        SharedLease shared = new SharedLease(manager, lease, new CallRelease(spans, releaseInBackground));
        return call(shared, spans, (failure, cutOff) -> {
            if (recorded) {
                boolean stopped = cutOff || calls.waiters().isClosed();
                lease.recordRun(policy.once().outcome(granted, failure, stopped), failure);
            }
        });
    }

    private LeaseCall call(SharedLease shared, @Nullable CallSpans spans, LeaseCall.RunEnding run) {
        LeaseFrame frame = LeaseFrame.within(outer, shared, policy.onLost() != OnLost.NOTIFY);
        return new LeaseCall(policy.onLost(), shared, frame, spans, run, firing);
    }

    @Nullable
    Object instead(Throwable thrown) throws Throwable {
        Throwable refusal = closing == null ? thrown : closing.refusal(thrown);
        observed.refused(refusal);
        if (refusal instanceof LeaseAlreadyRanException && hasFailed(firing)) {
            throw refusal; // retry advice would mistake a skipped call for a success
        }
        boolean awaited = firing != null && noted(firing, refusal);
        return calls.withoutLease().instead(invocation, policy, manager, request, awaited, refusal);
    }

    private static boolean hasFailed(@Nullable Firing firing) {
        return firing != null && firing.outcome().kind() == FiringOutcome.Kind.FAILED;
    }

    /** Sets the firing's outcome, and returns whether a {@link RunWaiter} was added for the firing's run. */
    private boolean noted(Firing fired, Throwable refusal) {
        FiringOutcome outcome = refusal instanceof ClosingException ? FiringOutcome.CLOSING : FiringOutcome.of(refusal);
        boolean awaited = isAwaited(refusal);
        // The waiter may replace this outcome, so the outcome is set before the waiter is added.
        fired.became(awaited ? outcome.waiting() : outcome);
        if (awaited) {
            awaitRun(fired, refusal instanceof LeaseStoreException outage ? outage : null);
        }
        return awaited;
    }

    private boolean isAwaited(Throwable refusal) {
        return refusal instanceof LeaseUnavailableException held
                ? request.once() != null && held.pause().isEmpty()
                : refusal instanceof LeaseStoreException && policy.awaitsStore(firing, manager, request);
    }

    /** {@code outage} is {@code null} if another owner holds the lease. */
    private void awaitRun(Firing fired, @Nullable LeaseStoreException outage) {
        MethodInvocation copy = CallShell.copy(invocation);
        calls.waiters()
                .await(
                        manager,
                        new RunWaiter.Run(
                                policy.once(),
                                request,
                                fired,
                                outage,
                                (lease, named) -> later.accept(copy, underLease(lease, named, spans(named))),
                                failure -> {
                                    calls.withoutLease().missed(policy, manager);
                                    calls.logFailed(policy, failure);
                                }));
    }
}
