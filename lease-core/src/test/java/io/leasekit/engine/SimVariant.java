package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The protocol that a simulation runs: the right one, or one that is broken on purpose.
 *
 * @param rules makes the rules of one process
 * @param guard what a write checks that is guarded by a lease
 * @param store what a process sends, as it reaches the table: the same, or another command
 * @param granted whether a process takes this command for applied as soon as it has sent it
 * @param together whether several items are written in one transaction
 * @param batch what a process makes of the replies of one batch
 * @param answers what a process makes of the reply to these commands, which were written together
 * @param releasesWhenLost whether a body releases a lease that it has lost while it still runs
 */
record SimVariant(
        Function<EngineTime, LeaseRules> rules,
        Guard guard,
        UnaryOperator<LeaseCommand> store,
        Predicate<LeaseCommand> granted,
        boolean together,
        UnaryOperator<List<StoreReply>> batch,
        BiFunction<List<LeaseCommand>, StoreReply, StoreReply> answers,
        boolean releasesWhenLost) {

    SimVariant(
            Function<EngineTime, LeaseRules> rules,
            Guard guard,
            UnaryOperator<LeaseCommand> store,
            Predicate<LeaseCommand> granted) {
        this(rules, guard, store, granted, true, UnaryOperator.identity(), (commands, reply) -> reply, false);
    }

    /** Whether the item lets a write pass that is guarded by a lease of this token and tenure. */
    interface Guard {
        boolean accepts(LeaseItem item, long token, UUID tenure);
    }

    static final SimVariant RIGHT = SimVariant.of(time -> new LeaseRules());

    static SimVariant of(Function<EngineTime, LeaseRules> rules) {
        return of(rules, SimVariant::accepts);
    }

    static SimVariant of(Function<EngineTime, LeaseRules> rules, Guard guard) {
        return new SimVariant(rules, guard, UnaryOperator.identity(), command -> false);
    }

    /** The same protocol, with several items written one by one. */
    SimVariant oneByOne() {
        return new SimVariant(rules, guard, store, granted, false, batch, answers, releasesWhenLost);
    }

    /** The same protocol, with something else made of the replies of each batch. */
    SimVariant batched(UnaryOperator<List<StoreReply>> replies) {
        return new SimVariant(rules, guard, store, granted, together, replies, answers, releasesWhenLost);
    }

    /** The same protocol, with something else made of the reply to commands that were written together. */
    SimVariant answered(BiFunction<List<LeaseCommand>, StoreReply, StoreReply> replies) {
        return new SimVariant(rules, guard, store, granted, together, batch, replies, releasesWhenLost);
    }

    /** The same protocol, with bodies that release what they have lost while they still run. */
    SimVariant releasingWhenLost() {
        return new SimVariant(rules, guard, store, granted, together, batch, answers, true);
    }

    /** As the conditionCheck of the DynamoDB store: the token and the tenure's part of the version (5.8). */
    private static boolean accepts(LeaseItem item, long token, UUID tenure) {
        return item.token() != null
                && item.token() == token
                && item.version() != null
                && item.version().startsWith(tenure.toString());
    }
}
