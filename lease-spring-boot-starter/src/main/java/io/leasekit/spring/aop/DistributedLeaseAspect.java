package io.leasekit.spring.aop;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The advice that runs a method under its lease, in the way of its result. Thread-safe. */
final class DistributedLeaseAspect implements MethodInterceptor {

    private final LeasePolicies policies;
    private final BlockingCalls blocking;
    private final AsyncShell stages;
    private final Supplier<AsyncShell> reactive;

    DistributedLeaseAspect(LeasePolicies policies, AsyncCalls calls, FiringAcquires firings) {
        this.policies = policies;
        this.blocking = new BlockingCalls(calls, firings);
        this.stages = new StageCalls(calls, new CallThreads());
        this.reactive = new Remembered<>(() -> new ReactiveCalls(calls));
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
            default -> blocking.call(invocation, policy);
        };
    }
}
