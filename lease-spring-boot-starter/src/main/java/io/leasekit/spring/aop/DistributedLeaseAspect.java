package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;
import io.leasekit.spring.schedule.LeaseSchedule;
import io.micrometer.observation.Observation;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** Calls a method under its lease: resolve the key, join or acquire, proceed, release. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(DistributedLeaseAspect.class);

    private final LeasePolicies policies;
    private final LeaseManagers managers;
    private final Function<LeaseRequest, CallSpans> spans;
    private final SkippedCalls skipped;
    private final RunWaiters waiters;

    DistributedLeaseAspect(
            LeasePolicies policies,
            LeaseManagers managers,
            Function<LeaseRequest, CallSpans> spans,
            SkippedCalls skipped,
            RunWaiters waiters) {
        this.policies = policies;
        this.managers = managers;
        this.spans = spans;
        this.skipped = skipped;
        this.waiters = waiters;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LeasePolicy policy = policies.of(invocation.getMethod(), targetClass);
        LeaseRequest request = policy.request(target, invocation.getArguments());
        LeaseManager manager = managers.get(policy.manager());
        LeaseHold outer = LeaseFrame.holdOf(manager, request.keys());
        if (outer == null) {
            LeaseFrame.refuseHeld(manager, request.keys());
            return acquireAndCall(invocation, policy, manager, request);
        }
        outer.join();
        return call(invocation, policy, outer, null, failure -> {});
    }

    private @Nullable Object acquireAndCall(
            MethodInvocation invocation, LeasePolicy policy, LeaseManager manager, LeaseRequest plain)
            throws Throwable {
        CallSpans observed = spans.apply(plain);
        LeaseRequest request = plain;
        Lease lease;
        try {
            LeaseRequest ofRun = policy.once().applyTo(plain, manager, invocation.getThis(), invocation.getArguments());
            request = ofRun;
            lease = observed.acquire(() -> manager.acquire(ofRun));
        } catch (LeaseAlreadyRanException e) {
            return alreadyRan(policy, e);
        } catch (LeaseUnavailableException e) {
            awaitRun(invocation, policy, manager, request);
            return unavailable(invocation, policy, heldKey(request, e), e);
        } catch (LeaseStoreException e) {
            return storeFailed(policy, request.key(), e);
        }
        // not within that try: the method's own errors are never taken for the acquire's
        return callOutermost(invocation, policy, new LeaseHold(manager, lease, observed), request, observed);
    }

    /** A job whose run has begun elsewhere is run here if it is not ended there. */
    private void awaitRun(MethodInvocation invocation, LeasePolicy policy, LeaseManager manager, LeaseRequest request) {
        LeaseSchedule schedule = policy.once().schedule();
        boolean firing = schedule.scheduled() && schedule.isFiring();
        if (request.once() == null || !firing || !(invocation instanceof ProxyMethodInvocation proxied)) {
            return;
        }
        MethodInvocation later = proxied.invocableClone(); // the rest of the chain, as it is from here on
        waiters.await(policy.once(), manager, request, lease -> {
            CallSpans observed = spans.apply(request);
            try {
                callOutermost(later, policy, new LeaseHold(manager, lease, observed), request, observed);
            } catch (Throwable failure) {
                ReflectionUtils.rethrowRuntimeException(failure); // as from a firing: to the scheduler's error handler
            }
        });
    }

    private @Nullable Object callOutermost(
            MethodInvocation invocation, LeasePolicy policy, LeaseHold hold, LeaseRequest request, CallSpans observed)
            throws Throwable {
        boolean recorded = policy.once().isRecorded(request);
        return call(invocation, policy, hold, observed, failure -> {
            if (recorded) {
                hold.lease().ran(policy.once().outcome(failure, waiters.isClosed()));
            }
        });
    }

    private static @Nullable Object alreadyRan(LeasePolicy policy, LeaseAlreadyRanException e) {
        if (!policy.skipAlreadyRan()) {
            throw e;
        }
        log.debug("Call of '{}' skipped: {}", policy.method(), e.getMessage());
        return policy.skippedResult().get();
    }

    /** Of several keys the one that another holds, if the error tells. */
    private static String heldKey(LeaseRequest request, LeaseUnavailableException e) {
        return e.holder().map(LeaseInfo::key).orElse(request.key());
    }

    private @Nullable Object unavailable(
            MethodInvocation invocation, LeasePolicy policy, String key, LeaseUnavailableException e) throws Exception {
        HandlerBean handler = policy.handler();
        if (handler != null) {
            return handler.handle(
                    new LeaseUnavailableCall(key, handler.method(), Arrays.asList(invocation.getArguments()), e));
        }
        if (!policy.skipUnavailable()) {
            throw e;
        }
        skipped.unavailable(policy, key, e.holder().orElse(null));
        log.debug("Call of '{}' skipped: {}", policy.method(), e.getMessage());
        return policy.skippedResult().get();
    }

    private @Nullable Object storeFailed(LeasePolicy policy, String key, LeaseStoreException e) {
        if (!policy.skipStoreFailure()) {
            throw e;
        }
        skipped.storeFailed(policy, key);
        log.warn("Call of '{}' skipped, its lease could not be acquired: {}", policy.method(), e.getMessage());
        return policy.skippedResult().get();
    }

    /** {@code observed}: the observations of a call that does not join another's lease. */
    private static @Nullable Object call(
            MethodInvocation invocation,
            LeasePolicy policy,
            LeaseHold hold,
            @Nullable CallSpans observed,
            Consumer<@Nullable Throwable> atEnd)
            throws Throwable {
        LeasedCall call = LeasedCall.begin(hold, policy.onLost(), atEnd);
        Object result;
        try {
            result = proceed(invocation, policy, hold, observed);
        } catch (Throwable failure) {
            call.failed(failure);
            throw failure;
        }
        return call.returned(result);
    }

    /** What the method does on this thread is observed as part of its work. */
    private static @Nullable Object proceed(
            MethodInvocation invocation, LeasePolicy policy, LeaseHold hold, @Nullable CallSpans observed)
            throws Throwable {
        Observation.Scope scope = observed == null ? Observation.Scope.NOOP : observed.beginWork();
        try {
            return policy.leaseParameter().proceed(invocation, hold.lease());
        } finally {
            scope.close();
        }
    }
}
