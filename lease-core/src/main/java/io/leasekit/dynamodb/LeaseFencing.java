package io.leasekit.dynamodb;

import io.leasekit.LeaseFence;
import io.leasekit.internal.Internal;
import io.leasekit.store.StoreInfo;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Condition checks for a worker that has only the {@link LeaseFence} of a lease, and the reason why a transaction with
 * a condition check was cancelled.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} or {@link #conditionCheck} into your {@code TransactWriteItems}. If
 * the transaction is cancelled, DynamoDB has written nothing; call {@link #isStale}:
 *
 * <ul>
 *   <li>{@code true}: the lease is no longer held. Leave the work to the next holder.
 *   <li>{@code false}: another reason cancelled the transaction. If a condition of another item failed, sending it
 *       again does not help: your data has changed since you read it, or the condition fails again. Otherwise send the
 *       transaction again; conflicts, for instance with a renewal, and throttling are temporary.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class LeaseFencing {

    private LeaseFencing() {}

    /**
     * Returns the same check as {@link io.leasekit.Lease#conditionCheck()} of the fence's lease. The check makes a
     * transaction fail once that lease was released or another owner has it, however late DynamoDB applies the
     * transaction. Renewals do not affect the check. This method sends no request and does not show whether the lease
     * is still held.
     *
     * <p>The transaction must run in the account and region of the table. Global tables have no transactions; this
     * method does not check that.
     *
     * @param table the name or ARN of the table of leases
     * @throws IllegalArgumentException if the table is blank
     */
    public static ConditionCheck conditionCheck(String table, LeaseFence fence) {
        if (table.isBlank()) {
            throw new IllegalArgumentException("Table name is blank, expected the name of the table of leases");
        }
        return new Writes(table)
                .of(fence.key(), fence.fencingToken(), fence.tenure().toString());
    }

    /** Returns the factory of all parts of users' transactions, for the test kit. */
    @Internal
    public static StoreInfo.ConditionChecks parts(String table) {
        return new Writes(table);
    }

    /**
     * Returns whether the condition check of the lease failed: the lease was released, or another tenure has held it
     * since. A conflict with another write of the item, for instance with a renewal, does not count.
     *
     * @param error the error of the transaction; with an asynchronous client, the cause of the stage's error
     * @param indexOfTheCheck the index of the condition check among the items of the transaction, from 0
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
