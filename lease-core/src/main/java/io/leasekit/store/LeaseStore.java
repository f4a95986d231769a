package io.leasekit.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * Where leases are kept: the port between the engine and a table.
 *
 * <p>Each write is atomic and conditional, of one item or of several. A store decides nothing: it evaluates the condition that the
 * command names and says what came of it. Reads see all writes that were answered before (strong consistency).
 *
 * <p>The stages complete normally, with a {@link StoreReply}, on any thread, after the timeout at the latest as far as the
 * store can see to that; the engine has its own watch. The methods do not block and do not throw. Thread-safe.
 */
public interface LeaseStore {

    /** Writes one item if the command's condition holds. */
    CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout);

    /**
     * Writes several items in one transaction if the conditions of all commands hold; else none. Answers as
     * {@link #write} does, save that a refusal is a {@link StoreReply.GroupRefused}, and that {@link StoreReply.Applied} tells of
     * no waiter. A conflict with another write that is under way is no refusal, but a failure that says so.
     */
    CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout);

    /**
     * Sends several renewals at once, where the store can, in one request; else each by {@link #write}. Each of them is applied
     * or refused by itself, at a time of its own, as if it had been sent alone; a store promises nothing about them together.
     * Answers one stage for each command, in their order, each as {@link #write} does. Those of one request tell the same date.
     *
     * <p>Where such requests are denied or not known, all are answered as {@link StoreReply.FailureKind#REJECTED}; then each is
     * sent again by {@link #write}.
     */
    default List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return batch.commands().stream().map(command -> write(command, timeout)).toList();
    }

    /** Reads one item, strongly consistent; answers {@link StoreReply.Found} or {@link StoreReply.Failed}. */
    CompletionStage<StoreReply> read(String key, Duration timeout);

    /**
     * Examines a part of the table, strongly consistent, for leases that are held or kept; answers {@link StoreReply.Listed} or
     * {@link StoreReply.Failed}.
     */
    CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout);

    /**
     * Returns the check that a transaction of the user's needs to be refused once the lease is another's.
     *
     * @param key the lease's key
     * @param token the lease's fencing token
     * @param tenure the part of the lease's versions that stays the same across renewals
     * @throws UnsupportedOperationException if the store has no transactions to put it in
     */
    ConditionCheck conditionCheck(String key, long token, String tenure);

    /** Returns a store like this one whose replies tell the capacity that they consumed, where it can tell; else this one. */
    default LeaseStore reportingCapacity() {
        return this;
    }

    /** Returns what to call the table in texts for people. */
    String name();
}
