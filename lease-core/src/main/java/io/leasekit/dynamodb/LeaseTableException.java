package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import org.jspecify.annotations.Nullable;

/**
 * The table cannot keep leases as it is: absent, with another schema, not accessible, replicated without strong consistency. It
 * stays so until somebody changes something; the text says what was found, what was expected and how to get there. A table that
 * could not be reached is a {@link io.leasekit.LeaseStoreException} instead.
 */
public final class LeaseTableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the error with its text and, where there is one, DynamoDB's own error. */
    public LeaseTableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
