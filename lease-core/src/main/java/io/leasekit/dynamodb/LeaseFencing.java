package io.leasekit.dynamodb;

import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Tells why a transaction with a lease's check was cancelled.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} into your {@code TransactWriteItems}; when it is cancelled, ask
 * {@link #isStale}: {@code true} means that the lease is no longer yours, and that nothing of the transaction was written;
 * {@code false} means that something else cancelled it, and it may be sent again.
 */
public final class LeaseFencing {

    private static final String CONDITION_FAILED = "ConditionalCheckFailed";

    private LeaseFencing() {}

    /**
     * Returns whether the lease's check refused the transaction: the lease has been another's since, or was released. A
     * conflict with another write of the lease's item, for instance with a renewal, is no refusal.
     *
     * @param error what the transaction ended with; from an asynchronous client it is the cause of what the stage gives
     * @param indexOfTheCheck the place of the check among the transaction's items, from 0
     * @throws IndexOutOfBoundsException if the transaction has no item at that place
     */
    public static boolean isStale(TransactionCanceledException error, int indexOfTheCheck) {
        if (!error.hasCancellationReasons()) {
            return false;
        }
        return CONDITION_FAILED.equals(
                error.cancellationReasons().get(indexOfTheCheck).code());
    }
}
