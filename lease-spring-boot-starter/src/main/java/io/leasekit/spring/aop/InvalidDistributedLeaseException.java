package io.leasekit.spring.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Thrown for an annotated method that cannot run under a lease: at start-up, or at the first call of a lazy bean. */
final class InvalidDistributedLeaseException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    InvalidDistributedLeaseException(
            Method method, Class<?> targetClass, String problem, String cure, @Nullable Throwable cause) {
        super("@DistributedLease on '" + name(method, targetClass) + "': " + problem, cause);
        this.cure = cure;
    }

    String cure() {
        return cure;
    }

    private static String name(Method method, Class<?> targetClass) {
        return ClassUtils.getQualifiedMethodName(method, targetClass);
    }
}
