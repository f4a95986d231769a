package io.leasekit.spring.aop;

import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Annotated methods that no proxy can guard, because a subclass cannot override them. */
final class UnguardableMethods {

    private UnguardableMethods() {}

    /**
     * Rejects a class that declares or inherits such a method. Inherited final methods are accepted if only the class
     * is annotated, because most belong to frameworks and need no lease.
     *
     * @param bean the name of the bean; {@code null} if unknown
     * @throws InvalidDistributedLeaseException if an annotated method is private, static or final
     */
    static void refuse(Class<?> targetClass, @Nullable String bean) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            String modifier = hindrance(method);
            if (modifier != null && isMeant(method, type)) {
                throw new InvalidDistributedLeaseException(
                        method,
                        type,
                        "the method" + (bean == null ? "" : " of bean '" + bean + "'") + " is " + modifier
                                + ", so no proxy can guard it and it would run without a lease",
                        "Remove '" + modifier + "', or move the method to another bean.",
                        null);
            }
        }
    }

    private static @Nullable String hindrance(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        return Modifier.isFinal(modifiers) ? "final" : null;
    }

    private static boolean isMeant(Method method, Class<?> type) {
        boolean onMethod =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLease.class);
        return onMethod || (method.getDeclaringClass() == type && LeaseAnnotations.isPresent(method, type));
    }
}
