package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import org.jspecify.annotations.Nullable;

/**
 * The table cannot hold leases: it is absent, has another schema, is not accessible, or has eventually consistent replicas. A
 * retry does not help. The message states what was found, what was expected and the fix. A table that could not be reached is
 * reported by a {@link io.leasekit.LeaseStoreException} instead.
 */
public final class LeaseTableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with its message and the error of DynamoDB, if there is one. */
    public LeaseTableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
