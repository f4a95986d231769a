package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the table cannot hold leases: it is absent, has another schema, is not accessible, or has eventually
 * consistent replicas. A retry does not help. The message states the expected state, the actual state and the fix. If
 * the table could not be reached, a {@link io.leasekit.LeaseStoreException} is thrown instead.
 */
public final class LeaseTableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with a message and the error from DynamoDB, if there is one. */
    public LeaseTableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
