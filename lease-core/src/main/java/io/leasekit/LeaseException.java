package io.leasekit;

import org.jspecify.annotations.Nullable;

/** The base of all errors that Leasekit throws of its own accord while it runs. Unchecked; thread-safe as any throwable. */
public class LeaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the error with its text and, where there is one, its cause. */
    public LeaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
