package io.leasekit.spring.aop;

import io.leasekit.spring.call.AnnotatedCalls;
import io.leasekit.spring.policy.LeasePolicies;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The advice around annotated methods. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private final LeasePolicies policies;
    private final AnnotatedCalls calls;

    DistributedLeaseAspect(LeasePolicies policies, AnnotatedCalls calls) {
        this.policies = policies;
        this.calls = calls;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        // The pointcut also uses the target's own class, even if the target is itself a proxy.
        Class<?> targetClass = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return calls.call(invocation, policies.of(invocation.getMethod(), targetClass));
    }
}
