package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Progress of runs under faults of all kinds (protocol 5.12). */
class ProgressSimulationTest {

    private static final int STEPS = 3_000;
    private static final int SCHEDULES = Integer.getInteger("leasekit.progress.schedules", 60);

    @Test
    void aHolderGoesOnFromTheLastSaveOfItsRun() {
        long steps = 0;
        for (int i = 0; i < SCHEDULES; i++) {
            steps += Simulation.run(SimProgress.FIRST_SEED + i, STEPS, SimVariant.RIGHT);
        }
        assertThat(steps).isGreaterThanOrEqualTo((long) SCHEDULES * STEPS);
    }
}
