package io.leasekit.dynamodb;

import io.leasekit.LeaseFence;
import io.leasekit.internal.Internal;
import io.leasekit.store.StoreInfo;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Creates condition checks for a worker that has only the {@link LeaseFence} of a lease. {@link #isStale} shows whether
 * a condition check cancelled a transaction.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} or {@link #conditionCheck} into your {@code TransactWriteItems}.
 * DynamoDB writes nothing if it cancels a transaction. After a cancellation, {@link #isStale} shows what to do:
 *
 * <ul>
 *   <li>{@code isStale} is {@code true}: the lease is no longer held, so leave the work to the next holder.
 *   <li>{@code isStale} is {@code false}: the transaction was cancelled, but not because the lease was lost. After
 *       throttling or a conflict, for example with a renewal, send the transaction again. If a condition of your own
 *       failed, do not send the transaction again: your data has probably changed since you read it.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class LeaseFencing {

    private LeaseFencing() {}

    /**
     * Returns the same condition check as {@link io.leasekit.Lease#conditionCheck()}, for the lease with this fence. A
     * transaction that contains the check fails if the lease was released or another owner has acquired it. Renewals do
     * not make the check fail. The method {@code conditionCheck} sends no request and does not show whether the lease
     * is still held.
     *
     * <p>A transaction with the check must run in the account and region of the table. Condition checks do not work in
     * a global table, but this method cannot detect a global table.
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

    /** Returns the factory of condition checks and fenced writes for users' transactions. */
    @Internal
    public static StoreInfo.ConditionChecks parts(String table) {
        return new Writes(table);
    }

    /**
     * Returns whether the lease's condition check failed: the lease was released or acquired again after the check was
     * created. Returns {@code false} if the lease's item was only in conflict with another write, for example with a
     * renewal.
     *
     * @param error the error of the transaction; if the client is asynchronous, the cause of the stage's error
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
