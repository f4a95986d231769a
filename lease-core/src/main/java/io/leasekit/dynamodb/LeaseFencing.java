package io.leasekit.dynamodb;

import io.leasekit.LeaseFence;
import io.leasekit.internal.Internal;
import io.leasekit.store.StoreInfo;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Creates condition checks for a worker that has only the {@link LeaseFence} of a lease, and shows whether a condition
 * check was the reason why a transaction was cancelled.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} or {@link #conditionCheck} into your {@code TransactWriteItems}. If
 * the transaction is cancelled, DynamoDB has written nothing. After a cancelled transaction, call {@link #isStale},
 * which returns:
 *
 * <ul>
 *   <li>{@code true}: the lease is no longer held. Leave the work to the next holder.
 *   <li>{@code false}: another reason cancelled the transaction. If the condition of another item failed, do not send
 *       the same transaction again, because this condition would fail again: your data has probably changed since you
 *       read it. Otherwise, send the transaction again, because conflicts, for instance with a renewal, and throttling
 *       are temporary.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class LeaseFencing {

    private LeaseFencing() {}

    /**
     * Returns a condition check equal to {@link io.leasekit.Lease#conditionCheck()} of the lease with this fence. The
     * check makes a transaction fail if that lease was released or another owner has acquired it by the time at which
     * DynamoDB applies the transaction. Renewals do not affect the check. This method sends no request and does not
     * show whether the lease is still held.
     *
     * <p>The transaction must run in the account and region of the table. Leases in a global table have no condition
     * checks, but this method does not refuse such a table.
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
     * Returns whether the condition check of the lease failed, because the lease was released or acquired again since.
     * Returns {@code false} if the item was only in conflict with another write, for instance with a renewal.
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
