package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.time.EngineTime;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The protocol that a simulation runs: the right one, or a mutant.
 *
 * @param rules creates the rules of one process
 * @param guard check of a write that is guarded by a lease
 * @param store changes the commands of a process on their way to the table
 * @param granted whether a process counts this command as applied once it has sent it
 * @param together whether several items are written in one transaction
 * @param batch changes the replies of a batch of renewals on their way to the process
 * @param releases changes the replies of a batch of releases on their way to the process
 * @param bulk changes the releases of a batch on their way to the table
 * @param answers changes the reply to these commands, which were written together, on its way to the process
 * @param releasesWhenLost whether a body that still runs releases its lost lease
 */
record SimVariant(
        Function<EngineTime, FeatureRules> rules,
        Guard guard,
        UnaryOperator<LeaseCommand> store,
        Predicate<LeaseCommand> granted,
        boolean together,
        UnaryOperator<List<StoreReply>> batch,
        UnaryOperator<List<StoreReply>> releases,
        UnaryOperator<ReleaseCommand> bulk,
        BiFunction<List<LeaseCommand>, StoreReply, StoreReply> answers,
        boolean releasesWhenLost) {

    SimVariant(
            Function<EngineTime, FeatureRules> rules,
            Guard guard,
            UnaryOperator<LeaseCommand> store,
            Predicate<LeaseCommand> granted) {
        this(
                rules,
                guard,
                store,
                granted,
                true,
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                (commands, reply) -> reply,
                false);
    }

    /** Decides whether the item accepts a write that is guarded by a lease of this token and tenure. */
    interface Guard {
        boolean accepts(LeaseItem item, long token, UUID tenure);
    }

    static final SimVariant RIGHT = SimVariant.of(time -> new FeatureRules());

    static SimVariant of(Function<EngineTime, FeatureRules> rules) {
        return of(rules, SimVariant::accepts);
    }

    static SimVariant of(Function<EngineTime, FeatureRules> rules, Guard guard) {
        return new SimVariant(rules, guard, UnaryOperator.identity(), command -> false);
    }

    /** Returns this protocol, with several items written one by one. */
    SimVariant oneByOne() {
        return new SimVariant(rules, guard, store, granted, false, batch, releases, bulk, answers, releasesWhenLost);
    }

    /** Returns this protocol, with the replies of each batch of renewals changed. */
    SimVariant batched(UnaryOperator<List<StoreReply>> replies) {
        return new SimVariant(
                rules, guard, store, granted, together, replies, releases, bulk, answers, releasesWhenLost);
    }

    /** Returns this protocol, with the releases of each batch and their replies changed. */
    SimVariant releasing(UnaryOperator<ReleaseCommand> commands, UnaryOperator<List<StoreReply>> replies) {
        return new SimVariant(
                rules, guard, store, granted, together, batch, replies, commands, answers, releasesWhenLost);
    }

    /** Returns this protocol, with the reply to commands that were written together changed. */
    SimVariant answered(BiFunction<List<LeaseCommand>, StoreReply, StoreReply> replies) {
        return new SimVariant(rules, guard, store, granted, together, batch, releases, bulk, replies, releasesWhenLost);
    }

    /** Returns this protocol, with bodies that still run and release their lost leases. */
    SimVariant releasingWhenLost() {
        return new SimVariant(rules, guard, store, granted, together, batch, releases, bulk, answers, true);
    }

    /** Checks the token and the tenure in the version, like the conditionCheck of the DynamoDB store (protocol 5.8). */
    private static boolean accepts(LeaseItem item, long token, UUID tenure) {
        return item.token() != null
                && item.token() == token
                && item.version() != null
                && item.version().startsWith(tenure.toString());
    }
}
