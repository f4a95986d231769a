package io.leasekit;

import java.util.List;
import java.util.UUID;
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
 */
record SimVariant(
        Function<EngineTime, LeaseRules> rules,
        Guard guard,
        UnaryOperator<LeaseCommand> store,
        Predicate<LeaseCommand> granted,
        boolean together,
        UnaryOperator<List<StoreReply>> batch) {

    SimVariant(
            Function<EngineTime, LeaseRules> rules,
            Guard guard,
            UnaryOperator<LeaseCommand> store,
            Predicate<LeaseCommand> granted) {
        this(rules, guard, store, granted, true, UnaryOperator.identity());
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
        return new SimVariant(rules, guard, store, granted, false, batch);
    }

    /** The same protocol, with something else made of the replies of each batch. */
    SimVariant batched(UnaryOperator<List<StoreReply>> replies) {
        return new SimVariant(rules, guard, store, granted, together, replies);
    }

    /** As the conditionCheck of the DynamoDB store: the token and the tenure's part of the version (5.8). */
    private static boolean accepts(LeaseItem item, long token, UUID tenure) {
        return item.token() != null
                && item.token() == token
                && item.version() != null
                && item.version().startsWith(tenure.toString());
    }
}
