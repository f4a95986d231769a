package io.leasekit.engine;

import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.VersionRange;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Variants of permits that look simpler and are wrong. They are found by schedules of one key with permits. */
final class PermitMutants {

    private PermitMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant("one slot too many", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public IntStream slots(int permits) {
                        return IntStream.range(0, permits + 1);
                    }
                })),
                new Mutant("only the first slot is looked for", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public IntStream slots(int permits) {
                        return IntStream.range(0, 1);
                    }
                })),
                new Mutant("slot taken because a look showed it free", sending(PermitMutants::taking)),
                new Mutant("release of any owner's slot", sending(PermitMutants::releasing)));
    }

    private static SimVariant sending(UnaryOperator<LeaseCommand> change) {
        return new SimVariant(SimVariant.RIGHT.rules(), SimVariant.RIGHT.guard(), change, command -> false);
    }

    private static LeaseCommand taking(LeaseCommand command) {
        return command instanceof AcquireCommand acquire
                ? new AcquireCommand(
                        acquire.key(),
                        acquire.version(),
                        acquire.expiry(),
                        acquire.durationMillis(),
                        acquire.token(),
                        acquire.owner(),
                        acquire.acquiredAtMillis(),
                        Long.MAX_VALUE,
                        acquire.deadVersion(),
                        acquire.own(),
                        acquire.predecessor(),
                        ProtocolMutantsTest.keptOnly(acquire.edits()))
                : command;
    }

    private static LeaseCommand releasing(LeaseCommand command) {
        VersionRange anything = new VersionRange("", "\uffff");
        return command instanceof ReleaseCommand release
                ? new ReleaseCommand(release.key(), anything, release.predecessor(), release.form(), release.edits())
                : command;
    }
}
