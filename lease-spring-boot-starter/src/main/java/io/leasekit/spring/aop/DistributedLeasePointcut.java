package io.leasekit.spring.aop;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.check.SpringCalls;
import io.leasekit.spring.policy.LeaseAnnotations;
import io.leasekit.spring.policy.LeaseMethodRules;
import io.leasekit.spring.policy.UnguardableMethods;
import io.leasekit.spring.policy.UserMethod;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Matches the methods that {@link DistributedLease} applies to, and records their classes for the checks at startup.
 *
 * <p>AspectJ expressions find neither composed annotations nor annotations on interface methods (spring-framework
 * #19010, #22311). One {@code AnnotationMatchingPointcut} cannot match both annotated classes and annotated methods.
 */
final class DistributedLeasePointcut extends StaticMethodMatcherPointcut {

    private final Set<Class<?>> matchedClasses = ConcurrentHashMap.newKeySet();
    private final Set<Class<?>> seenClasses = ConcurrentHashMap.newKeySet();
    private final Consumer<@Nullable String> advised;
    private volatile boolean lettingAllPass;

    /** {@code advised} receives the name of each matching bean while Spring creates this bean. */
    DistributedLeasePointcut(Consumer<@Nullable String> advised) {
        this.advised = advised;
        setClassFilter(this::isCandidate);
    }

    private boolean isCandidate(Class<?> type) {
        seenClasses.add(type);
        return AnnotationUtils.isCandidateClass(type, DistributedLease.class);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        if (!LeaseAnnotations.isPresent(method, targetClass)) {
            return false;
        }
        UserMethod found = UserMethod.of(method, targetClass, DistributedLease.class);
        if (lettingAllPass) {
            // Methods that create beans do not match: the advice's bean lookups would call such a method in an endless
            // recursion.
            boolean matching = !SpringCalls.isMaker(found.method(), found.type());
            if (matching) {
                matchedClasses.add(targetClass);
            }
            return matching;
        }
        // A later check would run after Spring's own check of scheduled methods.
        new LeaseMethodRules(found.method(), found.type()).refuseScheduledWithParameters();
        if (!matchedClasses.contains(targetClass)) {
            UnguardableMethods.refuse(targetClass, ProxyCreationContext.getCurrentProxiedBeanName());
            matchedClasses.add(targetClass);
        }
        advised.accept(ProxyCreationContext.getCurrentProxiedBeanName());
        return true;
    }

    void letAllPass() {
        lettingAllPass = true;
    }

    boolean letsAllPass() {
        return lettingAllPass;
    }

    Set<Class<?>> matchedClasses() {
        return Set.copyOf(matchedClasses);
    }

    /** If a proxy creator has already checked the class, returns the result of that check. */
    boolean isAnnotated(Class<?> type) {
        return matchedClasses.contains(type)
                || (!seenClasses.contains(type)
                        && isCandidate(type)
                        && Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                                .anyMatch(method -> matches(method, type)));
    }
}
