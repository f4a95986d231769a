package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseAnnotations;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Rejects annotated beans of a context without Leasekit's auto-configuration, if another context of the hierarchy has
 * the auto-configuration. Without the auto-configuration, a context begins no elections, and scheduled calls belong to
 * no run.
 */
@Internal
public final class OtherContexts {

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(LeaderOnly.class, DistributedLease.class);

    private OtherContexts() {}

    public static void refuse(ApplicationContext context) {
        if (!(context instanceof ConfigurableApplicationContext other)
                || !other.isActive()
                || other.getBeanNamesForType(AnnotatedBeans.class, true, false).length > 0) {
            return;
        }
        for (String bean : other.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(other.getBeanFactory(), bean);
            if (type != null && AnnotationUtils.isCandidateClass(type, ANNOTATIONS)) {
                Class<?> user = ClassUtils.getUserClass(type);
                for (Method method : ReflectionUtils.getAllDeclaredMethods(user)) {
                    refuseAnnotated(method, user, bean, other.getId());
                }
            }
        }
    }

    private static void refuseAnnotated(Method method, Class<?> type, String bean, @Nullable String context) {
        boolean leads =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(LeaderOnly.class);
        if (leads || LeaseAnnotations.isPresent(method, type)) {
            throw new InvalidLeaseMethodException(
                    leads ? LeaderOnly.class : DistributedLease.class,
                    method,
                    type,
                    "the bean '" + bean + "' is in context '" + context
                            + "', which lacks Leasekit's auto-configuration, so "
                            + (leads
                                    ? "no election would call the method"
                                    : "the method would run without a lease or its slots"),
                    "Add '@ImportAutoConfiguration(LeaseAutoConfiguration.class)' to a configuration of context '"
                            + context + "', or move the bean to a context that has it.",
                    null);
        }
    }
}
