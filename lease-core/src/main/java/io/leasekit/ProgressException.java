package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a value of a {@link Progress} cannot be encoded or decoded, or is too large. No value was written to the
 * table.
 */
public class ProgressException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and its cause; {@code null} if there is no cause. */
    public ProgressException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
