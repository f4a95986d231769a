package io.leasekit.spring.aop;

import io.leasekit.spring.call.AnnotatedCalls;
import io.leasekit.spring.policy.LeasePolicies;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The advice around annotated methods. The advice finds the policy of a method, and {@link AnnotatedCalls} calls the
 * method under this policy. Thread-safe.
 */
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
        // uses target.getClass(), which the pointcut has matched; a target that is a proxy may report another target
        // class
        Class<?> targetClass = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return calls.call(invocation, policies.of(invocation.getMethod(), targetClass));
    }
}
