package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * The store failed: it could not be reached, denied access, or holds something that is not a lease. This does not show
 * who holds the lease. The cause is the store's own exception, if there is one. If a text of that exception could forge a line
 * where its stack trace is printed, an exception with the same trace and the escaped text takes its place.
 */
public final class LeaseStoreException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final @Nullable LeaseThrottling throttling;

    /** Creates the exception with its message and the store's own exception; {@code null} if there is none. */
    public LeaseStoreException(String message, @Nullable Throwable cause) {
        this(message, cause, null);
    }

    /** Creates the exception of a throttled request; the limit is {@code null} if the request was not throttled. */
    public LeaseStoreException(String message, @Nullable Throwable cause, @Nullable LeaseThrottling throttling) {
        super(message, cause);
        this.throttling = throttling;
    }

    /** Returns the limit that the request exceeded; {@code null} if the request was not throttled. */
    public @Nullable LeaseThrottling throttling() {
        return throttling;
    }
}
