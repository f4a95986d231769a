package io.leasekit.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The storage of leases: the port between the engine and a table.
 *
 * <p>Each write is atomic and conditional, of one item or of several. A store makes no decisions: it evaluates the condition of
 * the command, whose Javadoc defines it, and reports the outcome. A read sees all writes that were answered before (strong
 * consistency).
 *
 * <p>The stages complete normally with a {@link StoreReply}, on any thread. They complete after the timeout at the latest as far
 * as the store can ensure that; the engine watches the time as well. The methods do not block and do not throw. Thread-safe.
 */
public interface LeaseStore {

    /** Writes one item if the condition of the command holds. */
    CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout);

    /**
     * Writes several items in one transaction if the conditions of all commands hold, and none otherwise. The replies are those
     * of {@link #write}, with two exceptions: a refusal is a {@link StoreReply.GroupRefused}, and {@link StoreReply.Applied}
     * reports no waiter. A conflict with a concurrent write is a failure of the kind
     * {@link StoreReply.FailureKind#CONFLICT}, not a refusal.
     */
    CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout);

    /**
     * Sends several renewals in one request if the store supports it, otherwise each by {@link #write}. Each renewal is applied
     * or refused individually, at a time of its own, as if it had been sent alone. Returns one stage for each command, in their
     * order, with the replies of {@link #write}. The replies to one request have the same date.
     *
     * <p>If batches are denied or unknown to the server, all replies are failures of the kind
     * {@link StoreReply.FailureKind#BATCH_REJECTED}. The engine then retries each renewal by {@link #write}.
     */
    default List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return batch.commands().stream().map(command -> write(command, timeout)).toList();
    }

    /**
     * Sends several releases in one request if the store supports it, otherwise each by {@link #write}. All that
     * {@link #renewEach} says of renewals holds for them. A server may not show the mark of a waiter here.
     */
    default List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        return batch.commands().stream().map(command -> write(command, timeout)).toList();
    }

    /** Reads one item, strongly consistent; replies with {@link StoreReply.Found} or {@link StoreReply.Failed}. */
    CompletionStage<StoreReply> read(String key, Duration timeout);

    /**
     * Reads several items in one request if the store supports it, otherwise each by {@link #read}. Each item is read strongly
     * consistently, but not all at the same moment. Replies with {@link StoreReply.FoundEach}, or with {@link StoreReply.Failed}
     * if no item was read.
     *
     * @param keys from 1 to 100 different keys
     */
    default CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return OneByOne.read(keys, key -> read(key, timeout));
    }

    /**
     * Reads one page of the leases that are held or kept, strongly consistent; replies with {@link StoreReply.Listed} or
     * {@link StoreReply.Failed}.
     */
    CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout);

    /**
     * Returns a condition check for a user's transaction. It makes the transaction fail once the tenure is over.
     *
     * @param key the lease's key
     * @param token the lease's fencing token
     * @param tenure the prefix that all versions of the tenure share
     * @throws UnsupportedOperationException if the store has no transactions
     */
    ConditionCheck conditionCheck(String key, long token, String tenure);

    /** Returns whether several items can be written together, as far as is known. */
    default boolean hasTransactions() {
        return true;
    }

    /** Returns why the table cannot hold leases; {@code null} if nothing is known against it. */
    default @Nullable String problem() {
        return null;
    }

    /** Returns a store of the same leases whose replies contain the consumed capacity; this store if it has none to report. */
    default LeaseStore reportingCapacity() {
        return this;
    }

    /** Returns the name of the table as logs and messages print it. */
    String name();
}
