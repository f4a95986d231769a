package io.leasekit.engine;

import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.records.ItemProgress;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Variants of progress that look simpler and are wrong. They are found by schedules whose work saves progress. */
final class ProgressMutants {

    private static final VersionRange ANYTHING = new VersionRange("", "\uffff");

    private ProgressMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                sending("save that asks for no version", ProgressMutants::savingAlways),
                sending("save that asks for the tenure only", ProgressMutants::savingInItsTenure),
                sending("progress removed by a failure", release -> ending(release, ItemProgress.CLEAR)),
                sending("progress kept by a success", ProgressMutants::keepingAfterSuccess),
                sending("note left out of the release", ProgressMutants::forgettingTheNote),
                sending("item with progress left to item TTL at its end", ProgressMutants::keptUntilTheEnd));
    }

    private static Mutant sending(String name, UnaryOperator<LeaseCommand> change) {
        return new Mutant(
                name, new SimVariant(SimVariant.RIGHT.rules(), SimVariant.RIGHT.guard(), change, command -> false));
    }

    private static LeaseCommand savingAlways(LeaseCommand command) {
        return command instanceof RenewCommand renew && writes(renew.edits()) ? renewing(renew, ANYTHING) : command;
    }

    private static LeaseCommand savingInItsTenure(LeaseCommand command) {
        if (!(command instanceof RenewCommand renew) || !writes(renew.edits())) {
            return command;
        }
        String first = renew.own().first();
        return renewing(renew, new VersionRange(first, Tenure.version(Tenure.tenureOf(first), -1)));
    }

    private static RenewCommand renewing(RenewCommand renew, VersionRange own) {
        return new RenewCommand(
                renew.key(), renew.version(), renew.expiry(), renew.durationMillis(), own, renew.edits());
    }

    private static LeaseCommand ending(LeaseCommand command, Edits progress) {
        return command instanceof ReleaseCommand release && !(release.form() instanceof ReleaseCommand.Delete)
                ? new ReleaseCommand(
                        release.key(),
                        release.own(),
                        release.predecessor(),
                        release.form(),
                        withProgress(release.edits(), progress))
                : command;
    }

    private static LeaseCommand keepingAfterSuccess(LeaseCommand command) {
        return command instanceof ReleaseCommand release
                        && release.edits().removes().contains(ItemProgress.DATA)
                ? ending(command, Edits.NONE)
                : command;
    }

    /** Counts on the heartbeats, of which none may come any more. */
    private static LeaseCommand forgettingTheNote(LeaseCommand command) {
        return command instanceof ReleaseCommand release && writes(release.edits())
                ? ending(command, Edits.NONE)
                : command;
    }

    private static LeaseCommand keptUntilTheEnd(LeaseCommand command) {
        if (command instanceof RenewCommand renew && renew.edits().keptUntil() != null) {
            return new RenewCommand(
                    renew.key(),
                    renew.version(),
                    renew.expiry(),
                    renew.durationMillis(),
                    renew.own(),
                    keptUntil(renew.edits(), renew.expiry()));
        }
        return command instanceof AcquireCommand acquire && acquire.edits().keptUntil() != null
                ? new AcquireCommand(
                        acquire.key(),
                        acquire.version(),
                        acquire.expiry(),
                        acquire.durationMillis(),
                        acquire.token(),
                        acquire.owner(),
                        acquire.acquiredAtMillis(),
                        acquire.freeBelow(),
                        acquire.deadVersion(),
                        acquire.own(),
                        acquire.predecessor(),
                        keptUntil(acquire.edits(), acquire.expiry()))
                : command;
    }

    private static Edits keptUntil(Edits edits, long seconds) {
        return Edits.builder().add(edits).keptUntil(seconds).build();
    }

    private static boolean writes(Edits edits) {
        return edits.sets().has(ItemProgress.DATA);
    }

    /** Returns the edits with this change of the progress instead of their own. */
    private static Edits withProgress(Edits edits, Edits progress) {
        List<String> removes = new ArrayList<>(edits.removes());
        removes.removeAll(ItemProgress.CLEAR.removes());
        return Edits.builder()
                .add(new Edits(edits.guards(), edits.sets().after(ItemProgress.CLEAR), removes, null))
                .add(progress)
                .keptUntil(edits.keptUntil())
                .build();
    }
}
