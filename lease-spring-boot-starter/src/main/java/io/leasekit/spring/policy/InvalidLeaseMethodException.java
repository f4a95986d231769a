package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Thrown if a lease annotation on a method cannot take effect. */
@Internal
public final class InvalidLeaseMethodException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String fix;

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

    public InvalidLeaseMethodException(Class<?> type, String problem, String fix) {
        super("@" + DistributedLease.class.getSimpleName() + " on '" + type.getName() + "': " + problem);
        this.fix = fix;
    }

    public String fix() {
        return fix;
    }
}
