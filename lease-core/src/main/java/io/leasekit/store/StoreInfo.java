package io.leasekit.store;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The properties and abilities of a {@link LeaseStore}, as far as they are known. Thread-safe.
 *
 * @param problem the reason why the table cannot hold leases; {@code null} if no problem is known
 */
@Internal
public record StoreInfo(
        String name,
        boolean hasTransactions,
        boolean hasBatches,
        @Nullable String problem,
        ConditionChecks conditionChecks) {

    /** Creates parts of users' transactions: condition checks and conditional writes of records. Thread-safe. */
    @FunctionalInterface
    public interface ConditionChecks {

        /**
         * Returns a condition check that fails after the lease was released or another owner has acquired the key.
         *
         * @param tenure the tenure id, with which all versions of the lease begin
         */
        ConditionCheck of(String key, long token, String tenure);

        /** Returns a transaction item that writes records if the condition of {@link #of} holds. */
        default TransactWriteItem edit(String key, long token, String tenure, Edits edits) {
            throw new UnsupportedOperationException("This store cannot write progress in users' transactions");
        }
    }

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
