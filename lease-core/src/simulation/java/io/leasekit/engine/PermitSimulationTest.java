package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Permits under faults of all kinds (protocol 6.6). */
class PermitSimulationTest {

    private static final int STEPS = 2_000;
    private static final int SCHEDULES = Integer.getInteger("leasekit.permits.schedules", 40);

    @Test
    void noMoreHoldTheKeyThanThereArePermitsAndEveryWaiterGetsOne() {
        long steps = 0;
        for (int seed = 1; seed <= SCHEDULES; seed++) {
            steps += Simulation.run(seed, STEPS, SimVariant.RIGHT, 1 + seed % 3);
        }
        assertThat(steps).isGreaterThanOrEqualTo((long) SCHEDULES * STEPS);
    }
}
