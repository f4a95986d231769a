package io.leasekit.dynamodb;

import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Finds out why a transaction with the condition check of a lease was cancelled.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} into your {@code TransactWriteItems}. If the transaction is cancelled, call
 * {@link #isStale}. {@code true} means that you no longer hold the lease, and that nothing of the transaction was written.
 * {@code false} means that the transaction was cancelled for another reason, and that you can send it again.
 */
public final class LeaseFencing {

    private LeaseFencing() {}

    /**
     * Returns whether the condition check of the lease failed: another tenure has held the lease since, or the lease was
     * released. A conflict with another write of the item, for instance with a renewal, does not count.
     *
     * @param error the error of the transaction; with an asynchronous client, the cause of the stage's error
     * @param indexOfTheCheck the index of the check among the items of the transaction, from 0
     * @throws IndexOutOfBoundsException if the transaction has no item with this index
     */
    public static boolean isStale(TransactionCanceledException error, int indexOfTheCheck) {
        if (!error.hasCancellationReasons()) {
            return false;
        }
        return Failures.isConditionFailed(
                error.cancellationReasons().get(indexOfTheCheck).code());
    }
}
