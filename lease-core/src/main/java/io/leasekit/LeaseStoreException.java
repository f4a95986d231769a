package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * The store failed: it could not be reached, denied access, or holds something that is not a lease. This does not tell
 * who holds the lease. The cause is the store's own exception, if there is one.
 */
public final class LeaseStoreException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and the store's own exception; {@code null} if there is none. */
    public LeaseStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
