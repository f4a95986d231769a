package io.leasekit.spring.key;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The root object of key expressions, with {@code target}, {@code method} and {@code targetClass}. */
final class LeaseKeyRoot {

    private final @Nullable Object target;
    private final Method method;
    private final Class<?> targetClass;

    LeaseKeyRoot(@Nullable Object target, Method method, Class<?> targetClass) {
        this.target = target;
        this.method = method;
        this.targetClass = targetClass;
    }

    public @Nullable Object getTarget() {
        return target;
    }

    public Method getMethod() {
        return method;
    }

    public Class<?> getTargetClass() {
        return targetClass;
    }
}
