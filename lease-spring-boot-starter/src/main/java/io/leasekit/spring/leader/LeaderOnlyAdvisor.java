package io.leasekit.spring.leader;

import io.leasekit.internal.Internal;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.UserMethod;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Rejects calls of methods with {@link LeaderOnly}, unless the election makes the call. Thread-safe. */
@Internal
public final class LeaderOnlyAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Set<Class<?>> matchedClasses = ConcurrentHashMap.newKeySet();
    private final transient Set<Class<?>> seenClasses = ConcurrentHashMap.newKeySet();

    /** If {@code guarding} is false, leases are switched off, and all callers are accepted. */
    public LeaderOnlyAdvisor(boolean guarding) {
        setClassFilter(this::isCandidate);
        setAdvice((MethodInterceptor) invocation -> call(invocation, guarding));
        // This advice is the outermost, so that a rejected call begins no transaction.
        setOrder(Ordered.HIGHEST_PRECEDENCE + 100);
    }

    private boolean isCandidate(Class<?> type) {
        seenClasses.add(ClassUtils.getUserClass(type));
        return AnnotationUtils.isCandidateClass(type, LeaderOnly.class);
    }

    /** If a proxy creator has already checked the class, returns the result of that check. */
    boolean isAnnotated(Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        return matchedClasses.contains(user)
                || (!seenClasses.contains(user)
                        && AnnotationUtils.isCandidateClass(user, LeaderOnly.class)
                        && !MethodIntrospector.selectMethods(user, LeaderMethodRules::isAnnotated)
                                .isEmpty());
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        UserMethod found = UserMethod.of(method, targetClass, LeaderOnly.class);
        if (!LeaderMethodRules.isAnnotated(found.method())) {
            return false;
        }
        LeaderMethodRules.check(found.method(), found.type());
        matchedClasses.add(ClassUtils.getUserClass(targetClass));
        return true;
    }

    private static @Nullable Object call(MethodInvocation invocation, boolean guarding) throws Throwable {
        if (!LeaderCall.isByElection() && guarding) {
            throw new IllegalStateException("Method '"
                    + ClassUtils.getQualifiedMethodName(invocation.getMethod(), target(invocation))
                    + "' has @LeaderOnly, so only its election may call it, on the leader. Remove this call");
        }
        return invocation.proceed();
    }

    private static @Nullable Class<?> target(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target == null ? null : target.getClass();
    }
}
