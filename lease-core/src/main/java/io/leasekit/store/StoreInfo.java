package io.leasekit.store;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The properties and abilities of a {@link LeaseStore}, as far as they are known. Immutable, so thread-safe.
 *
 * @param name the name of the table as logs and messages print it
 * @param hasTransactions whether several items can be written together, by {@link StoreRequest.Transaction}
 * @param hasBatches whether the store takes {@link StoreRequest.Batch}; otherwise each write is a request of its own
 * @param problem why the table cannot hold leases; {@code null}: nothing is known against it
 * @param conditionChecks creates the checks for users' transactions
 */
@Internal
public record StoreInfo(
        String name,
        boolean hasTransactions,
        boolean hasBatches,
        @Nullable String problem,
        ConditionChecks conditionChecks) {

    /** Creates condition checks, and fenced writes of progress, for users' transactions. Thread-safe. */
    @FunctionalInterface
    public interface ConditionChecks {

        /**
         * Returns a condition check, which makes a transaction fail once the tenure is over.
         *
         * @param key the lease's key
         * @param token the lease's fencing token
         * @param tenure the prefix that all versions of the tenure share
         * @throws UnsupportedOperationException if the store takes no part in transactions of users
         */
        ConditionCheck of(String key, long token, String tenure);

        /**
         * Returns a write of progress that makes a transaction fail as {@link #of} does.
         *
         * @throws UnsupportedOperationException if the store takes no part in transactions of users
         */
        default TransactWriteItem progress(String key, long token, String tenure, ItemProgress progress) {
            throw new UnsupportedOperationException("This store cannot write progress in users' transactions");
        }
    }

    /** Creates the information on a store with transactions and batches, without a known problem and without condition checks. */
    public StoreInfo(String name) {
        this(name, true, true, null, (key, token, tenure) -> {
            throw new UnsupportedOperationException("Table " + name + " has no condition checks");
        });
    }

    /** Returns this information with these condition checks. */
    public StoreInfo withConditionChecks(ConditionChecks value) {
        return new StoreInfo(name, hasTransactions, hasBatches, problem, value);
    }

    /** Returns this information for a store without batches. */
    public StoreInfo withoutBatches() {
        return new StoreInfo(name, hasTransactions, false, problem, conditionChecks);
    }
}
