package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.util.List;
import java.util.stream.Stream;

/** The forms of a lease of several keys that look simpler and are wrong. */
final class GroupMutants {

    private GroupMutants() {}

    static Stream<ProtocolMutantsTest.Mutant> all() {
        return Stream.of(
                mutant("several keys written one by one", SimVariant.RIGHT.oneByOne()),
                mutant("one key lost is no loss of the others", SimVariant.RIGHT.answered(GroupMutants::oneLostIsNone)),
                mutant(
                        "one key that refuses the release ends it for all",
                        SimVariant.RIGHT.answered(GroupMutants::refusedIsReleased)));
    }

    private static ProtocolMutantsTest.Mutant mutant(String name, SimVariant variant) {
        return new ProtocolMutantsTest.Mutant(name, variant);
    }

    /** Takes a renewal for applied to the keys that did not refuse it. */
    private static StoreReply oneLostIsNone(List<LeaseCommand> commands, StoreReply reply) {
        return commands.get(0) instanceof RenewCommand
                        && reply instanceof StoreReply.GroupRefused refused
                        && refused.refusals().size() < commands.size()
                ? new StoreReply.Applied(null, reply.date(), reply.resent())
                : reply;
    }

    /** Gives up what is left of a release that one key has refused. */
    private static StoreReply refusedIsReleased(List<LeaseCommand> commands, StoreReply reply) {
        return commands.get(0) instanceof ReleaseCommand && reply instanceof StoreReply.GroupRefused
                ? new StoreReply.Applied(null, reply.date(), reply.resent())
                : reply;
    }
}
