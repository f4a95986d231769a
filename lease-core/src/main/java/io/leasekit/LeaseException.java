package io.leasekit;

import org.jspecify.annotations.Nullable;

/** The base of the exceptions of Leasekit at run time. Wrong uses throw exceptions of the JDK. Unchecked; as thread-safe as any throwable. */
public class LeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and its cause; {@code null} if there is no cause. */
    public LeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
