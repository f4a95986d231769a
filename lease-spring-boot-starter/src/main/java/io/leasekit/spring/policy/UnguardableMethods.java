package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Annotated methods that no proxy can guard, because a subclass cannot override the methods. */
@Internal
public final class UnguardableMethods {

    private static final String PACKAGE_PRIVATE = "package-private";
    public static final String FINAL = "final";

    private UnguardableMethods() {}

    /**
     * If only the class is annotated, inherited final methods are accepted, because most final methods belong to
     * frameworks.
     */
    public static void refuse(Class<?> targetClass, @Nullable String bean) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            // compilers generate static helpers with copies of the annotations, as Kotlin does for open suspending
            // functions
            if (!method.isSynthetic()) {
                refuse(method, type, bean == null ? "" : " of bean '" + bean + "'");
            }
        }
    }

    private static void refuse(Method method, Class<?> type, String ofBean) {
        String modifier = hindrance(method, type);
        if (modifier != null && isMeant(method, type)) {
            throw new InvalidLeaseMethodException(
                    DistributedLease.class,
                    method,
                    type,
                    "the method" + ofBean + " is " + modifier
                            + ", so no proxy can guard it and it would run without a lease",
                    fix(modifier, type),
                    null);
        }
    }

    public static String fix(String modifier, Class<?> type) {
        if (modifier.startsWith(PACKAGE_PRIVATE)) {
            return "Make the method protected or public, or move it to another bean.";
        }
        return modifier.equals(FINAL) && KotlinDetector.isKotlinType(type)
                ? "Declare the method as 'open', or use the compiler plugin 'kotlin-spring'."
                : "Remove '" + modifier + "', or move the method to another bean.";
    }

    /** Returns {@code null} if a proxy can override the method. */
    public static @Nullable String hindrance(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        if (Modifier.isFinal(modifiers) && !Modifier.isFinal(type.getModifiers())) { // Spring rejects final classes
            return FINAL;
        }
        boolean visible = Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                || method.getDeclaringClass().getPackageName().equals(type.getPackageName());
        return visible ? null : PACKAGE_PRIVATE + " in another package than its bean's class";
    }

    private static boolean isAnnotated(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLease.class);
    }

    private static boolean isMeant(Method method, Class<?> type) {
        return isAnnotated(method) || (method.getDeclaringClass() == type && LeaseAnnotations.isPresent(method, type));
    }
}
