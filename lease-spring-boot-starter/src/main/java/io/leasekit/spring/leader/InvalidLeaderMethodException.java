package io.leasekit.spring.leader;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Thrown at start-up for a method that cannot be that of a leader. It carries the cure. */
final class InvalidLeaderMethodException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    InvalidLeaderMethodException(Method method, Class<?> type, String problem, String cure, @Nullable Throwable cause) {
        super("@LeaderOnly on '" + ClassUtils.getQualifiedMethodName(method, type) + "': " + problem, cause);
        this.cure = cure;
    }

    String cure() {
        return cure;
    }
}
