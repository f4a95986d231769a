package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Thrown if a lease annotation on a method cannot take effect. The exception occurs at startup, or when a lazy bean is
 * created or called.
 */
@Internal
public final class InvalidLeaseMethodException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String fix;

    /** Creates the exception. The message names the annotation and the method. */
    public InvalidLeaseMethodException(
            Class<? extends Annotation> annotation,
            Method method,
            Class<?> type,
            String problem,
            String fix,
            @Nullable Throwable cause) {
        super(
                "@" + annotation.getSimpleName() + " on '" + ClassUtils.getQualifiedMethodName(method, type) + "': "
                        + problem,
                cause);
        this.fix = fix;
    }

    /** Creates the exception for an annotation on a class. */
    public InvalidLeaseMethodException(Class<?> type, String problem, String fix) {
        super("@" + DistributedLease.class.getSimpleName() + " on '" + type.getName() + "': " + problem);
        this.fix = fix;
    }

    /** Returns a text that says how to make the method valid. */
    public String fix() {
        return fix;
    }
}
