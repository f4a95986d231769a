package io.leasekit.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotation that applies to a method: the method's before the class's, the class's before an interface's. */
final class LeaseAnnotations {

    private LeaseAnnotations() {}

    /** Returns the annotation with its merged attributes; {@code null}: the method has none. */
    static @Nullable MergedAnnotation<DistributedLease> find(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class) {
            return null;
        }
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        MergedAnnotation<DistributedLease> onMethod = nearest(specific);
        if (onMethod != null) {
            return onMethod;
        }
        return isCoveredByType(specific) ? nearest(type) : null;
    }

    private static boolean isCoveredByType(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !ReflectionUtils.isObjectMethod(method)
                && !MergedAnnotations.from(method).isPresent(Bean.class);
    }

    private static @Nullable MergedAnnotation<DistributedLease> nearest(AnnotatedElement element) {
        if (!MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLease.class)) {
            return null;
        }
        MergedAnnotation<DistributedLease> inClasses = first(element, SearchStrategy.SUPERCLASS);
        return inClasses != null ? inClasses : first(element, SearchStrategy.TYPE_HIERARCHY);
    }

    // MergedAnnotations.get would prefer a direct annotation far away to a composed one on the method itself
    private static @Nullable MergedAnnotation<DistributedLease> first(
            AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy).stream(DistributedLease.class)
                .findFirst()
                .orElse(null);
    }
}
