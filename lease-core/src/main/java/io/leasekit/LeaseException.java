package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * The base class of Leasekit's exceptions, all of which are unchecked. For wrong arguments and wrong calls, Leasekit
 * throws exceptions of the JDK instead.
 */
public class LeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and its cause; the cause is {@code null} if there is none. */
    public LeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
