package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ReflectionUtils;

/** The advice that runs a method under its lease: resolve the key, join or acquire, proceed, release. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private final LeasePolicies policies;
    private final LeaseManagers managers;
    private final CallSpans.Factory spans;
    private final CallsWithoutLease withoutLease;
    private final RunWaiters waiters;
    private final FiringAcquires firings;
    private final AsyncShell stages;
    private final Supplier<AsyncShell> reactive;

    DistributedLeaseAspect(
            LeasePolicies policies,
            LeaseManagers managers,
            CallSpans.Factory spans,
            CallsWithoutLease withoutLease,
            RunWaiters waiters,
            FiringAcquires firings) {
        this.policies = policies;
        this.managers = managers;
        this.spans = spans;
        this.withoutLease = withoutLease;
        this.waiters = waiters;
        this.firings = firings;
        AsyncCalls asynchronous = new AsyncCalls(managers, spans, withoutLease, waiters);
        this.stages = new StageCalls(asynchronous, new CallThreads());
        this.reactive = new Remembered<>(() -> new ReactiveCalls(asynchronous));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        // the class that the pointcut was asked for, even if the target is a proxy that names a class behind it
        Class<?> targetClass = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        LeasePolicy policy = policies.of(invocation.getMethod(), targetClass);
        return switch (policy.result().kind()) {
            case STAGE -> stages.call(invocation, policy);
            case REACTIVE, SUSPENDING -> reactive.get().call(invocation, policy);
            default -> joinOrAcquire(invocation, policy);
        };
    }

    private @Nullable Object joinOrAcquire(MethodInvocation invocation, LeasePolicy policy) throws Throwable {
        LeaseRequest request = policy.request(invocation.getThis(), invocation.getArguments());
        LeaseManager manager = managers.get(policy.manager());
        LeaseFrame around = LeaseFrame.innermost();
        LeaseHold outer = LeaseFrame.join(around, manager, request);
        if (outer == null) {
            LeaseFrame.refuseHeld(around, manager, request);
            return acquireAndCall(invocation, policy, manager, request);
        }
        try {
            policy.once().refuseOtherRun(outer.lease(), invocation.getThis(), invocation.getArguments());
            outer.lease().ensureValid();
        } catch (RuntimeException e) {
            outer.leave();
            throw e;
        }
        return call(invocation, policy, outer, () -> Observation.Scope.NOOP, failure -> {});
    }

    private @Nullable Object acquireAndCall(
            MethodInvocation invocation, LeasePolicy policy, LeaseManager manager, LeaseRequest plain)
            throws Throwable {
        CallSpans observed = spans.of(plain, null);
        boolean firing = policy.once().isFiring();
        boolean mayEnd =
                firing && SkippedResult.isPossible(invocation.getMethod().getReturnType());
        LeaseRequest request = plain;
        Lease lease;
        try {
            LeaseRequest ofRun = call(
                    mayEnd,
                    closing -> policy.once()
                            .applyTo(plain, manager, invocation.getThis(), invocation.getArguments(), firing));
            request = ofRun;
            lease = call(
                    mayEnd,
                    closing -> observed.acquire(() -> {
                        LeaseRequest asked = closing ? ofRun.waitFor(Duration.ZERO) : ofRun;
                        return MockedManager.checked(manager.acquire(asked), manager, asked);
                    }));
        } catch (FiringAcquires.ClosingException e) {
            return withoutLease.closing(policy);
        } catch (LeaseAlreadyRanException e) {
            return withoutLease.alreadyRan(policy, request, e);
        } catch (LeaseUnavailableException e) {
            if (firing && e.pause().isEmpty()) { // a paused slot is not run
                awaitRun(invocation, policy, manager, request);
            }
            return withoutLease.unavailable(invocation, policy, request, e);
        } catch (LeaseStoreException e) {
            return withoutLease.storeFailed(policy, manager, e);
        }
        policy.once().warnOfOtherExpression(request, invocation.getThis(), LeaseOnce.runBefore(lease));
        // outside that try, so that exceptions of the method are never mistaken for those of the acquire
        return callOutermost(invocation, policy, new LeaseHold(manager, lease, observed), request, observed::beginWork);
    }

    /** Calls the manager. For a firing that may be skipped, the call ends quietly when the context closes. */
    private <T> T call(boolean mayEnd, Function<Boolean, T> manager) {
        return mayEnd ? firings.call(manager) : manager.apply(false);
    }

    /** Waits for a run that has begun elsewhere, and executes it here if it is not done there. */
    private void awaitRun(MethodInvocation invocation, LeasePolicy policy, LeaseManager manager, LeaseRequest request) {
        if (request.once() == null || !(invocation instanceof ProxyMethodInvocation proxied)) {
            return;
        }
        MethodInvocation later = proxied.invocableClone(); // captures the rest of the advice chain
        waiters.await(policy.once(), manager, request, lease -> {
            CallSpans observed = spans.of(request, null);
            try {
                callOutermost(later, policy, new LeaseHold(manager, lease, observed), request, observed::beginWork);
            } catch (Throwable failure) {
                // for the scheduler's error handler, as in a firing
                ReflectionUtils.rethrowRuntimeException(failure);
            }
        });
    }

    private @Nullable Object callOutermost(
            MethodInvocation invocation,
            LeasePolicy policy,
            LeaseHold hold,
            LeaseRequest request,
            Supplier<Observation.Scope> work)
            throws Throwable {
        boolean recorded = policy.once().isRecorded(request);
        return call(invocation, policy, hold, work, failure -> {
            if (recorded) {
                hold.lease().recordRun(policy.once().outcome(failure, waiters.isClosed()));
            }
        });
    }

    /** Calls the method. {@code work} opens the scope that observes it. */
    private static @Nullable Object call(
            MethodInvocation invocation,
            LeasePolicy policy,
            LeaseHold hold,
            Supplier<Observation.Scope> work,
            Consumer<@Nullable Throwable> atEnd)
            throws Throwable {
        LeasedCall call = LeasedCall.begin(hold, policy.onLost(), atEnd);
        Object result;
        try {
            result = proceed(invocation, policy, hold.lease(), work);
        } catch (Throwable failure) {
            call.failed(failure);
            throw failure;
        }
        if (result != null
                && UnfinishedResult.isUnfinished(result, policy.result().type())) {
            IllegalStateException refusal = policy.unfinished(result);
            call.failed(refusal);
            throw refusal;
        }
        return call.returned(result);
    }

    /** Proceeds within the scope of the work observation. */
    private static @Nullable Object proceed(
            MethodInvocation invocation, LeasePolicy policy, Lease lease, Supplier<Observation.Scope> work)
            throws Throwable {
        Observation.Scope scope = work.get();
        try {
            return policy.leaseParameter().proceed(invocation, lease);
        } finally {
            scope.close();
        }
    }
}
