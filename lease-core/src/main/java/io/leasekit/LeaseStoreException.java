package io.leasekit;

import org.jspecify.annotations.Nullable;

/**
 * The store did not do what was asked: it could not be reached, refused access, or holds something that is no lease. It
 * says nothing about who holds the lease. The cause is the store's own error, where there is one.
 */
public final class LeaseStoreException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the error with its text and the store's own error. */
    public LeaseStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
