package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the store fails, for example because it cannot be reached, denies access, or contains an item that is not a
 * lease. After a failure of the store, it is unknown who holds the lease. The cause is the exception of the store's
 * client, if there is one. A client exception whose message could forge log lines is replaced by an exception with the
 * same stack trace and an escaped message.
 */
public final class LeaseStoreException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final @Nullable LeaseThrottling throttling;

    /**
     * Creates the exception with its message and its cause: the exception of the store's client, or {@code null} if the
     * client threw no exception.
     */
    public LeaseStoreException(String message, @Nullable Throwable cause) {
        this(message, cause, null);
    }

    /**
     * Creates the exception with its message, its cause and the exceeded limit. {@code throttling} is {@code null} if
     * the request was not throttled.
     */
    public LeaseStoreException(String message, @Nullable Throwable cause, @Nullable LeaseThrottling throttling) {
        super(message, cause);
        this.throttling = throttling;
    }

    /** Returns the limit that the request exceeded; {@code null} if the request was not throttled. */
    public @Nullable LeaseThrottling throttling() {
        return throttling;
    }
}
