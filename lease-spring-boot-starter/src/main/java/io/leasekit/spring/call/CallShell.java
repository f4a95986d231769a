package io.leasekit.spring.call;

import io.leasekit.spring.policy.LeasePolicy;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** Calls annotated methods whose work continues after they have returned. */
@FunctionalInterface
interface CallShell {

    /** Returns a stage or publisher whose work runs under the lease. */
    Object call(MethodInvocation invocation, LeasePolicy policy);

    /** Returns a copy that can proceed once, at any later time and on any thread. */
    static MethodInvocation copy(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }

    static @Nullable Object proceed(MethodInvocation copy) throws Throwable {
        // advice in AspectJ style finds the invocation only if this thread exposes it
        return ExposeInvocationInterceptor.INSTANCE.invoke(copy);
    }
}
