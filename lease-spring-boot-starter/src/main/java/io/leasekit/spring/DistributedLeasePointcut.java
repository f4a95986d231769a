package io.leasekit.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Matches the methods that {@link DistributedLease} applies to, and remembers their classes for the check at start-up. */
final class DistributedLeasePointcut extends StaticMethodMatcherPointcut {

    private final Set<Class<?>> matchedClasses = ConcurrentHashMap.newKeySet();

    DistributedLeasePointcut() {
        setClassFilter(type -> AnnotationUtils.isCandidateClass(type, DistributedLease.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        if (LeaseAnnotations.find(method, targetClass) == null) {
            return false;
        }
        // here, before Spring's own refusal at the bean's creation
        new LeaseMethodRules(method, targetClass).refuseScheduledWithParameters();
        matchedClasses.add(targetClass);
        return true;
    }

    Set<Class<?>> matchedClasses() {
        return Set.copyOf(matchedClasses);
    }
}
