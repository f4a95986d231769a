package io.leasekit.spring;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import java.util.Optional;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;

/** Calls a method under its lease: resolve the key, acquire, proceed, release. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(DistributedLeaseAspect.class);

    private final LeasePolicies policies;
    private final LeaseManagers managers;
    private final Consumer<Lease> release;

    DistributedLeaseAspect(LeasePolicies policies, LeaseManagers managers, Consumer<Lease> release) {
        this.policies = policies;
        this.managers = managers;
        this.release = release;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LeasePolicy policy = policies.of(invocation.getMethod(), targetClass);
        LeaseRequest request = policy.request(target, invocation.getArguments());
        Optional<Lease> lease = acquire(policy, request);
        return lease.isPresent()
                ? call(invocation, policy, lease.get())
                : policy.skippedResult().get();
    }

    private Optional<Lease> acquire(LeasePolicy policy, LeaseRequest request) {
        LeaseManager manager = managers.get(policy.manager());
        try {
            return policy.skipUnavailable() ? manager.tryAcquire(request) : Optional.of(manager.acquire(request));
        } catch (LeaseStoreException e) {
            if (!policy.skipStoreFailure()) {
                throw e;
            }
            log.warn("Call skipped, its lease could not be acquired: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private @Nullable Object call(MethodInvocation invocation, LeasePolicy policy, Lease lease) throws Throwable {
        LeasedCall call = new LeasedCall(lease, policy.onLost(), release);
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable failure) {
            call.failed(failure);
            throw failure;
        }
        return call.returned(result);
    }
}
