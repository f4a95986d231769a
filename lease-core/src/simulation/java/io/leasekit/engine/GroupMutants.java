package io.leasekit.engine;

import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.util.List;
import java.util.stream.Stream;

/** Variants of leases of several keys that look simpler and are wrong. */
final class GroupMutants {

    private GroupMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant("several keys written one by one", SimVariant.RIGHT.oneByOne()),
                new Mutant(
                        "renewal refused for one key counts as applied",
                        SimVariant.RIGHT.answered(GroupMutants::oneLostIsNone)),
                new Mutant("release of several keys forgets their runs", forgettingRuns()),
                new Mutant(
                        "release refused for one key counts as applied",
                        SimVariant.RIGHT.answered(GroupMutants::refusedIsReleased)));
    }

    /** Releases as if no item recorded a run. */
    private static SimVariant forgettingRuns() {
        SimVariant right = SimVariant.RIGHT;
        return new SimVariant(
                right.rules(),
                right.guard(),
                command -> command instanceof ReleaseCommand release
                        ? new ReleaseCommand(
                                release.key(),
                                release.own(),
                                release.predecessor(),
                                release.form(),
                                unguarded(release.edits()))
                        : command,
                right.granted());
    }

    private static Edits unguarded(Edits edits) {
        return new Edits(List.of(), edits.sets(), edits.removes(), edits.keptUntil());
    }

    /** Counts a renewal as applied unless all keys refused it. */
    private static StoreReply oneLostIsNone(List<LeaseCommand> commands, StoreReply reply) {
        return commands.get(0) instanceof RenewCommand
                        && reply instanceof StoreReply.GroupRefused refused
                        && refused.refusals().size() < commands.size()
                ? new StoreReply.Applied(null, reply.date(), reply.resent())
                : reply;
    }

    /** Counts a release as applied even if keys refused it. */
    private static StoreReply refusedIsReleased(List<LeaseCommand> commands, StoreReply reply) {
        return commands.get(0) instanceof ReleaseCommand && reply instanceof StoreReply.GroupRefused
                ? new StoreReply.Applied(null, reply.date(), reply.resent())
                : reply;
    }
}
