package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a value of a {@link Progress} cannot be encoded or decoded, or is too large. No value was written to the
 * table.
 */
public class ProgressException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and its cause; the cause is {@code null} if there is none. */
    public ProgressException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
