package io.leasekit.dynamodb;

import io.leasekit.LeaseFence;
import io.leasekit.internal.Internal;
import io.leasekit.store.StoreInfo;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Condition checks for a worker that has only the {@link LeaseFence} of a lease, and the reason why a transaction with a
 * condition check was cancelled.
 *
 * <p>Put {@link io.leasekit.Lease#conditionCheck()} or {@link #conditionCheck} into your {@code TransactWriteItems}. If the
 * transaction is cancelled, nothing of it was written; call {@link #isStale}. {@code true} means that the lease is no longer
 * held: leave the work to the next holder. {@code false} means that the transaction was cancelled for another reason. Send
 * it again only if none of the reasons is a condition that failed: a conflict, for instance with a renewal, or throttling goes
 * away, but another condition fails again, or your data has changed since you read it. Thread-safe.
 */
public final class LeaseFencing {

    private LeaseFencing() {}

    /**
     * Returns the check that {@link io.leasekit.Lease#conditionCheck()} returns for the lease of this fence. It makes a
     * transaction fail once that lease was released or another owner has it, however late the transaction is applied.
     * The check holds across renewals. Sends no request and does not show whether the lease is still held.
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

    /** Returns the maker of all parts of users' transactions, for the test kit. */
    @Internal
    public static StoreInfo.ConditionChecks parts(String table) {
        return new Writes(table);
    }

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
