package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.VersionRange;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Permits under faults of all kinds (protocol 6.6), and mutants that these schedules must find. */
class PermitSimulationTest {

    private static final int STEPS = 2_000;
    private static final int SCHEDULES = Integer.getInteger("leasekit.permits.schedules", 40);
    private static final int MOST_UNTIL_FOUND = 400;

    @Test
    void noMoreHoldTheKeyThanThereArePermitsAndEveryWaiterGetsOne() {
        long steps = 0;
        for (int seed = 1; seed <= SCHEDULES; seed++) {
            steps += Simulation.run(seed, STEPS, SimVariant.RIGHT, 1 + seed % 3);
        }
        assertThat(steps).isGreaterThanOrEqualTo((long) SCHEDULES * STEPS);
    }

    @Test
    void oneSlotTooManyIsFound() {
        assertFound(SimVariant.of(time -> new LeaseRules() {
            @Override
            int slots(int permits) {
                return permits + 1;
            }
        }));
    }

    /** A slot that a look showed as free is taken without asking whether it still is. */
    @Test
    void aStaleReadThatDecidesIsFound() {
        assertFound(sending(command -> command instanceof AcquireCommand acquire ? taking(acquire) : command));
    }

    @Test
    void aReleaseOfAnothersSlotIsFound() {
        assertFound(sending(command -> command instanceof ReleaseCommand release ? releasing(release) : command));
    }

    private static AcquireCommand taking(AcquireCommand acquire) {
        return new AcquireCommand(
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
                acquire.predecessor());
    }

    private static ReleaseCommand releasing(ReleaseCommand release) {
        VersionRange anything = new VersionRange("", "\uffff");
        return new ReleaseCommand(
                release.key(), anything, release.predecessor(), release.form(), release.run(), release.unlessRun());
    }

    private static SimVariant sending(UnaryOperator<LeaseCommand> change) {
        return new SimVariant(time -> new LeaseRules(), SimVariant.RIGHT.guard(), change, command -> false);
    }

    private static void assertFound(SimVariant mutant) {
        assertThatExceptionOfType(Simulation.Broken.class).isThrownBy(() -> {
            for (int seed = 1; seed <= MOST_UNTIL_FOUND; seed++) {
                Simulation.run(seed, STEPS, mutant, 1 + seed % 3);
            }
        });
    }
}
