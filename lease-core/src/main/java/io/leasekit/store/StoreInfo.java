package io.leasekit.store;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The properties and abilities of a {@link LeaseStore}, as far as they are known. Immutable and thread-safe.
 *
 * @param name the name of the table as logs and messages print it
 * @param hasTransactions whether one {@link StoreRequest.Transaction} can write several items
 * @param hasBatches whether the store accepts a {@link StoreRequest.Batch}; if {@code false}, the engine sends each
 *     write as a separate request
 * @param problem the reason why the table cannot hold leases; {@code null} if no problem is known
 * @param conditionChecks creates the condition checks for users' transactions
 */
@Internal
public record StoreInfo(
        String name,
        boolean hasTransactions,
        boolean hasBatches,
        @Nullable String problem,
        ConditionChecks conditionChecks) {

    /**
     * Creates parts of users' transactions: condition checks, and writes of records under the condition of a check.
     * Thread-safe.
     */
    @FunctionalInterface
    public interface ConditionChecks {

        /**
         * Returns a condition check that makes a transaction fail once this lease was released or another owner has
         * acquired it.
         *
         * @param key the lease's key
         * @param token the lease's fencing token
         * @param tenure the tenure id, with which all versions of the lease begin
         * @throws UnsupportedOperationException if the store does not support users' transactions
         */
        ConditionCheck of(String key, long token, String tenure);

        /**
         * Returns a transaction item that writes records if the condition of {@link #of} holds.
         *
         * @throws UnsupportedOperationException if the store does not support users' transactions
         */
        default TransactWriteItem edit(String key, long token, String tenure, Edits edits) {
            throw new UnsupportedOperationException("This store cannot write progress in users' transactions");
        }
    }

    /**
     * Creates the information for a store with transactions and batches, without condition checks and without a known
     * problem.
     */
    public StoreInfo(String name) {
        this(name, true, true, null, (key, token, tenure) -> {
            throw new UnsupportedOperationException("Table " + name + " has no condition checks");
        });
    }

    public StoreInfo withConditionChecks(ConditionChecks value) {
        return new StoreInfo(name, hasTransactions, hasBatches, problem, value);
    }

    public StoreInfo withoutBatches() {
        return new StoreInfo(name, hasTransactions, false, problem, conditionChecks);
    }
}
