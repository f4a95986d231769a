package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the store fails: it cannot be reached, denies access, or holds an item that is not a lease. The failure
 * does not show who holds the lease. The cause is the store's own exception, if there is one. If the message of that
 * exception could forge a line of a log, the cause is an exception with the same stack trace and the escaped message.
 */
public final class LeaseStoreException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final @Nullable LeaseThrottling throttling;

    /** Creates the exception with its message and the store's own exception; {@code null} if there is none. */
    public LeaseStoreException(String message, @Nullable Throwable cause) {
        this(message, cause, null);
    }

    /**
     * Creates the exception of a request that may have been throttled. The limit is {@code null} if the request was not
     * throttled.
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
