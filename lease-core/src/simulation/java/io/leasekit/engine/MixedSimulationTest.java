package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.leasekit.previous.PreviousVersion;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules in which some processes run the previous version, some this one, and some change it when they start again. */
@Tag("full")
@EnabledIf(value = "isPreviousVersionThere", disabledReason = PreviousVersion.ABSENT)
class MixedSimulationTest {

    private static final Logger log = LoggerFactory.getLogger(MixedSimulationTest.class);

    private static final int STEPS = Integer.getInteger("leasekit.simulation.steps", 4_000);
    private static final int SCHEDULES = Integer.getInteger("leasekit.simulation.mixed", 40);
    private static final int BUDGET = 200;

    /** A schedule that has found what few others find. It comes first. */
    private static final int RARE = 123;

    private static PreviousCore previous;

    static boolean isPreviousVersionThere() throws Exception {
        return PreviousVersion.find(Path.of("..")).isPresent();
    }

    @BeforeAll
    static void load() throws Exception {
        previous = PreviousCore.find().orElseThrow();
    }

    private static SimVersions.Mix mix() {
        return new SimVersions.Mix(previous, UnaryOperator.identity());
    }

    @Test
    void noScheduleOfTwoVersionsBreaksAPromise() {
        SimVersions.Mix mix = mix();
        Long only = Long.getLong("leasekit.simulation.seed");
        if (only != null) {
            Simulation.run(only, STEPS, SimVariant.RIGHT, 0, mix);
            return;
        }
        int schedules = 0;
        // a series whose processes seldom change their version is made longer; one in 400 series does
        while (schedules < SCHEDULES || (!isMixed(mix) && schedules < 10 * SCHEDULES)) {
            Simulation.run(ThreadLocalRandom.current().nextLong(), STEPS, SimVariant.RIGHT, 0, mix);
            schedules++;
        }

        log.info("{} schedules: {}", schedules, mix.counts());
        assertThat(isMixed(mix)).as("%s", mix.counts()).isTrue();
    }

    private static boolean isMixed(SimVersions.Mix mix) {
        return mix.counts().size() == 4 && mix.counts().values().stream().allMatch(count -> count > 5);
    }

    /** Each version keeps its promises alone, so only the mix shows that they do not fit together. */
    @ParameterizedTest
    @EnumSource
    void mixedSchedulesFindAFormThatTheOtherVersionMisreads(MixedMutants mutant) {
        SimVersions.Mix mix = new SimVersions.Mix(previous, mutant::way);
        SimVersions.Mix alone = new SimVersions.Mix(null, mutant::way);
        for (int seed : IntStream.concat(IntStream.of(RARE), IntStream.rangeClosed(1, BUDGET))
                .toArray()) {
            Simulation.run(seed, STEPS, SimVariant.RIGHT, 0, alone);
            try {
                Simulation.run(seed, STEPS, SimVariant.RIGHT, 0, mix);
            } catch (Simulation.Broken broken) {
                log.info(
                        "'{}' found by schedule {}: {}",
                        mutant,
                        seed,
                        broken.getMessage().lines().findFirst().orElse(""));
                return;
            }
        }
        fail("Not found in %d schedules, so the mix has a hole: %s", BUDGET, mutant);
    }

    @Test
    void aSeedRepeatsItsMixedSchedule() {
        SimVersions.Mix first = mix();
        SimVersions.Mix second = mix();

        int steps = Simulation.run(42, STEPS, SimVariant.RIGHT, 0, first);

        assertThat(Simulation.run(42, STEPS, SimVariant.RIGHT, 0, second)).isEqualTo(steps);
        assertThat(second.counts()).isNotEmpty().isEqualTo(first.counts());
    }
}
