package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasekit.dynamodb.local.Faketime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exclusion and take-over do not depend on wall clocks. Two processes have wall clocks an hour off in either direction,
 * a third has one that is set back and forth while it runs. The monotonic clocks are right, as on a real machine.
 */
@Tag("full")
class WallClocksIT {

    private static final Duration TTL = Duration.ofSeconds(10); // kept by heartbeats also on a busy machine
    private static final Duration AHEAD = Duration.ofHours(1);

    private static final Duration STEP = Duration.ofMillis(1_500);
    private static final int STEPS = 8;

    /** The time after which the first call of another process gets the lease of a dead one. */
    private static final Duration TAKEN_OVER = TTL.plusSeconds(7);

    @TempDir
    Path scratch;

    private Faketime faketime;

    @BeforeEach
    void findFaketime() throws IOException {
        Optional<Faketime> found = Faketime.find();
        assumeTrue(found.isPresent(), "faketime is not installed");
        faketime = found.orElseThrow();
        Faketime.set(scratch, Duration.ZERO);
    }

    @Test
    @Timeout(600)
    void neitherExclusionNorTakeOverDependsOnThem() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            LeaseProcesses.Child ahead = processes.start("ahead", faketime.off(AHEAD));
            LeaseProcesses.Child behind = processes.start("behind", faketime.off(AHEAD.negated()));
            LeaseProcesses.Child jumping = processes.start("jumping", faketime.setBy(scratch));
            List<LeaseProcesses.Child> all = List.of(ahead, behind, jumping);
            for (LeaseProcesses.Child process : all) {
                assertThat(process.answer()).isEqualTo("ready");
            }
            contend(all);
            takeOver(ahead, behind, jumping);
        }
    }

    private void contend(List<LeaseProcesses.Child> all) throws Exception {
        Path journal = Files.createFile(scratch.resolve("journal"));
        String key = "contended-" + UUID.randomUUID();
        all.forEach(process -> process.tell("contend " + key + " " + journal + " "
                + STEP.multipliedBy(STEPS).toSeconds()));
        for (int step = 0; step < STEPS; step++) {
            Faketime.set(scratch, step % 2 == 0 ? AHEAD : AHEAD.negated());
            Thread.sleep(STEP.toMillis());
        }
        for (LeaseProcesses.Child process : all) {
            assertThat(Integer.parseInt(process.answer()))
                    .as("number of sections")
                    .isGreaterThanOrEqualTo(LeaseProcess.LEAST_SECTIONS);
        }
        assertOneAtATime(Files.readAllLines(journal));
    }

    private static void assertOneAtATime(List<String> journal) {
        List<Long> tokens = new ArrayList<>();
        for (int line = 0; line < journal.size(); line += 2) {
            long token = Long.parseLong(journal.get(line).substring("enter ".length()));
            assertThat(journal.subList(line, line + 2)).containsExactly("enter " + token, "leave " + token);
            tokens.add(token);
        }
        assertThat(tokens).hasSizeGreaterThan(8).doesNotHaveDuplicates().isSorted();
    }

    private static void takeOver(LeaseProcesses.Child ahead, LeaseProcesses.Child behind, LeaseProcesses.Child jumping)
            throws Exception {
        String first = UUID.randomUUID().toString();
        String second = UUID.randomUUID().toString();
        assertThat(ahead.ask("try " + first)).isEqualTo("acquired");
        assertThat(behind.ask("try " + second)).isEqualTo("acquired");
        ahead.signal("KILL");

        assertThat(behind.ask("try " + first)).isEqualTo("unavailable");
        assertThat(jumping.ask("try " + second)).isEqualTo("unavailable");
        Thread.sleep(TAKEN_OVER.toMillis());
        assertThat(behind.ask("try " + first)).isEqualTo("acquired");
        assertThat(jumping.ask("try " + second)).as("the holder lives").isEqualTo("unavailable");
        behind.signal("KILL");
        Thread.sleep(TAKEN_OVER.toMillis());
        assertThat(jumping.ask("try " + second)).isEqualTo("acquired");
    }
}
