package io.leasekit;

import org.jspecify.annotations.Nullable;

/** A value of a {@link Progress} that cannot be encoded, is too large, or cannot be decoded. Nothing was written. */
public class ProgressException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates an error with this cause; {@code null}: there is none. */
    public ProgressException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
