package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that apply to a method. An annotation on the method takes precedence over an annotation on the
 * class. Classes take precedence over interfaces.
 */
@Internal
public final class LeaseAnnotations {

    private LeaseAnnotations() {}

    public static boolean isPresent(Method method, Class<?> targetClass) {
        return !find(method, targetClass).isEmpty();
    }

    /** Returns the annotations of the one method, class or interface with the highest precedence. */
    public static List<MergedAnnotation<DistributedLease>> find(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class || isHelper(method)) {
            return List.of();
        }
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        List<MergedAnnotation<DistributedLease>> onMethod = nearest(specific);
        if (!onMethod.isEmpty() || !isCoveredByType(specific, type)) {
            return onMethod;
        }
        List<MergedAnnotation<DistributedLease>> onType = nearest(type);
        return onType.isEmpty() || ContainerMethods.isOf(specific, type) ? List.of() : onType;
    }

    /**
     * Annotations of a compiler-generated method are ignored, because compilers copy annotations from the original
     * method.
     */
    private static boolean isHelper(Method method) {
        return method.isSynthetic() && !method.isBridge();
    }

    private static boolean isCoveredByType(Method method, Class<?> type) {
        return (Modifier.isPublic(method.getModifiers()) || EntryPoints.isEntryPoint(method))
                && !method.isSynthetic()
                && !Modifier.isStatic(method.getModifiers())
                && !ReflectionUtils.isObjectMethod(method)
                && !MergedAnnotations.from(method).isPresent(Bean.class)
                && (!UserMethod.isGenerated(type) || isOfAnnotatedInterface(method, type));
    }

    /** A JDK proxy may also implement interfaces without the annotation. */
    private static boolean isOfAnnotatedInterface(Method method, Class<?> generated) {
        Class<?> type = UserMethod.of(method, generated, DistributedLease.class).type();
        return type != generated
                && MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLease.class);
    }

    private static List<MergedAnnotation<DistributedLease>> nearest(AnnotatedElement element) {
        if (!MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLease.class)) {
            return List.of();
        }
        List<MergedAnnotation<DistributedLease>> inClasses = first(element, SearchStrategy.SUPERCLASS);
        return inClasses.isEmpty() ? first(element, SearchStrategy.TYPE_HIERARCHY) : inClasses;
    }

    // MergedAnnotations.get would prefer an overridden method's direct annotation to the method's own composed
    // annotation.
    private static List<MergedAnnotation<DistributedLease>> first(AnnotatedElement element, SearchStrategy strategy) {
        List<MergedAnnotation<DistributedLease>> all = MergedAnnotations.from(element, strategy).stream(
                        DistributedLease.class)
                .toList();
        return all.stream().filter(found -> isOfOnePlace(found, all.get(0))).toList();
    }

    private static boolean isOfOnePlace(MergedAnnotation<?> one, MergedAnnotation<?> other) {
        return one.getAggregateIndex() == other.getAggregateIndex();
    }
}
