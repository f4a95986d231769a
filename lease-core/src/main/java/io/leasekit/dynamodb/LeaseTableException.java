package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the table cannot hold leases: the table is absent, has a wrong schema or eventually consistent replicas, or
 * DynamoDB denies access to the table. Retrying the request does not help. The message states the expected state, the
 * actual state and the fix. If the table could not be reached, a {@link io.leasekit.LeaseStoreException} is thrown
 * instead. The Javadoc of {@code LeaseStoreException} describes the result of {@code getCause()}.
 */
public final class LeaseTableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. {@code cause}: the error from DynamoDB; {@code null} if DynamoDB reported no error. */
    public LeaseTableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
