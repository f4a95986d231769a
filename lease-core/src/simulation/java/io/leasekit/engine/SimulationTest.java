package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class SimulationTest {

    private static final Logger log = LoggerFactory.getLogger(SimulationTest.class);

    private static final int STEPS = Integer.getInteger("leasekit.simulation.steps", 4_000);
    private static final int SCHEDULES = Integer.getInteger("leasekit.simulation.schedules", 1_500);

    @Test
    void noScheduleBreaksAPromise() {
        Long only = Long.getLong("leasekit.simulation.seed");
        if (only != null) {
            Simulation.run(only, STEPS, SimVariant.RIGHT);
            return;
        }
        run(SCHEDULES);
    }

    @Test
    @Tag("full")
    void noneOfManySchedulesBreaksAPromise() {
        run(4 * SCHEDULES);
    }

    private static void run(int schedules) {
        long steps = 0;
        long begun = System.nanoTime();
        for (int i = 0; i < schedules; i++) {
            steps += Simulation.run(ThreadLocalRandom.current().nextLong(), STEPS, SimVariant.RIGHT);
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        log.info("{} schedules, {} steps, {} steps per second", schedules, steps, Math.round(steps / seconds));
        assertThat(steps).isGreaterThanOrEqualTo((long) schedules * STEPS);
    }

    @Test
    @Tag("full")
    void renewalsTravelInBatches() {
        Map<Integer, Integer> sizes = new TreeMap<>();
        SimVariant counting = SimVariant.RIGHT.batched(replies -> {
            sizes.merge(replies.size(), 1, Integer::sum);
            return replies;
        });
        for (int seed = 1; seed <= 100; seed++) {
            Simulation.run(seed, STEPS, counting);
        }

        log.info("Batches by size in 100 schedules: {}", sizes);
        assertThat(sizes).containsKeys(2, 3);
        assertThat(sizes.get(2)).isGreaterThan(50);
    }

    @Test
    @Tag("full")
    void releasesTravelInBatches() {
        Map<Integer, Integer> sizes = new TreeMap<>();
        SimVariant counting = SimVariant.RIGHT.releasing(UnaryOperator.identity(), replies -> {
            sizes.merge(replies.size(), 1, Integer::sum);
            return replies;
        });
        for (int seed = 1; seed <= 200; seed++) {
            Simulation.run(seed, STEPS, counting);
        }

        log.info("Batches of releases by size in 200 schedules: {}", sizes);
        assertThat(sizes).containsKeys(2, 3);
        assertThat(sizes.get(2)).isGreaterThan(15);
    }

    @Test
    void aSeedRepeatsItsSchedule() {
        assertThat(Simulation.run(42, STEPS, SimVariant.RIGHT)).isEqualTo(Simulation.run(42, STEPS, SimVariant.RIGHT));
    }
}
