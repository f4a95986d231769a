package io.leasekit.spring;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.micrometer.observation.Observation;
import java.util.Arrays;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;

/** Calls a method under its lease: resolve the key, join or acquire, proceed, release. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(DistributedLeaseAspect.class);

    private final LeasePolicies policies;
    private final LeaseManagers managers;
    private final Function<LeaseRequest, CallSpans> spans;
    private final SkippedCalls skipped;

    DistributedLeaseAspect(
            LeasePolicies policies,
            LeaseManagers managers,
            Function<LeaseRequest, CallSpans> spans,
            SkippedCalls skipped) {
        this.policies = policies;
        this.managers = managers;
        this.spans = spans;
        this.skipped = skipped;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LeasePolicy policy = policies.of(invocation.getMethod(), targetClass);
        LeaseRequest request = policy.request(target, invocation.getArguments());
        LeaseManager manager = managers.get(policy.manager());
        LeaseHold outer = LeaseContext.holdOf(manager, request.keys());
        if (outer == null) {
            LeaseContext.refuseHeld(manager, request.keys());
            return acquireAndCall(invocation, policy, manager, request);
        }
        outer.join();
        return call(invocation, policy, outer, null);
    }

    private @Nullable Object acquireAndCall(
            MethodInvocation invocation, LeasePolicy policy, LeaseManager manager, LeaseRequest request)
            throws Throwable {
        CallSpans observed = spans.apply(request);
        LeaseHold hold;
        try {
            hold = new LeaseHold(manager, observed.acquire(() -> manager.acquire(request)), observed);
        } catch (LeaseUnavailableException e) {
            return unavailable(invocation, policy, heldKey(request, e), e);
        } catch (LeaseStoreException e) {
            return storeFailed(policy, request.key(), e);
        }
        // not within that try: the method's own errors are never taken for the acquire's
        return call(invocation, policy, hold, observed);
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
            MethodInvocation invocation, LeasePolicy policy, LeaseHold hold, @Nullable CallSpans observed)
            throws Throwable {
        LeasedCall call = LeasedCall.begin(hold, policy.onLost());
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
