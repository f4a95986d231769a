package io.leasekit.spring.leader;

import io.leasekit.internal.Internal;
import io.leasekit.spring.LeaderOnly;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Keeps callers other than an election from the methods with {@link LeaderOnly}. Rejects unsuitable methods when their
 * bean is created. Thread-safe.
 */
@Internal
public final class LeaderOnlyAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    /** {@code guarding}: {@code false} lets every caller pass, because leases are switched off. */
    public LeaderOnlyAdvisor(boolean guarding) {
        setClassFilter(type -> AnnotationUtils.isCandidateClass(type, LeaderOnly.class));
        setAdvice((MethodInterceptor) invocation -> call(invocation, guarding));
        setOrder(Ordered.HIGHEST_PRECEDENCE + 100); // outermost: a refused call begins no transaction
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        if (!LeaderMethodRules.isAnnotated(specific)) {
            return false;
        }
        LeaderMethodRules.check(specific, type);
        return true;
    }

    private static @Nullable Object call(MethodInvocation invocation, boolean guarding) throws Throwable {
        if (!LeaderCall.isByElection() && guarding) {
            throw new IllegalStateException("Method '"
                    + ClassUtils.getQualifiedMethodName(invocation.getMethod(), target(invocation))
                    + "' has @LeaderOnly, so its election calls it, on the leader only. Remove this call");
        }
        return invocation.proceed();
    }

    private static @Nullable Class<?> target(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target == null ? null : target.getClass();
    }
}
