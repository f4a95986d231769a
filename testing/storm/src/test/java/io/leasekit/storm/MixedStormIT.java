package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasekit.dynamodb.local.Faketime;
import io.leasekit.previous.PreviousVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** A storm in which half of the processes run the previous version, judged by the same rules. */
@EnabledIf(value = "isPreviousVersionThere", disabledReason = PreviousVersion.ABSENT)
class MixedStormIT {

    private static final Duration DURATION = Duration.parse(System.getProperty("leasekit.storm.duration", "PT30S"));
    private static final String SEED = System.getProperty("leasekit.storm.seed", "");

    static boolean isPreviousVersionThere() throws Exception {
        return PreviousVersion.find(Path.of("..", "..")).isPresent();
    }

    @BeforeEach
    void findFaketime() throws IOException {
        assumeTrue(Faketime.find().isPresent(), "faketime is not installed");
    }

    @Test
    void noPromiseIsBrokenBetweenVersions() throws Exception {
        PreviousVersion previous = PreviousVersion.find(Path.of("..", "..")).orElseThrow();
        long seed = SEED.isEmpty() ? ThreadLocalRandom.current().nextInt(1_000_000) : Long.parseLong(SEED);
        Path folder = Path.of(
                        "target", "storm", "mixed-" + seed + "-" + Instant.now().getEpochSecond())
                .toAbsolutePath();
        System.out.println("Mixed storm of seed " + seed + " with " + previous.commit() + " for " + DURATION
                + "; histories are in " + folder);
        NodePlan old = new NodePlan(Broken.NOT, previous.classPath());
        NodePlan present = NodePlan.of(Broken.NOT);

        Storm.Report report =
                Storm.run(new Storm.Plan(folder, DURATION, seed, List.of(old, present, old, present), false));
        Evidence evidence = Histories.read(folder);
        Verdict verdict = Judge.judge(evidence);

        System.out.println(report);
        System.out.println(verdict);
        assertThat(verdict.isClean()).as("seed %d: %s", seed, verdict).isTrue();
        assertThat(begin(folder, "node0")).contains(previous.commit());
        assertThat(begin(folder, "node1")).doesNotContain(previous.commit());
        assertThat(begin(folder, "node2")).contains(previous.commit());
        assertThat(begin(folder, "node3")).doesNotContain(previous.commit());
        assertThat(leases(evidence, "node0", "node2")).isGreaterThan(10);
        assertThat(leases(evidence, "node1", "node3")).isGreaterThan(10);
    }

    private static String begin(Path folder, String node) throws IOException {
        try (var lines = Files.lines(folder.resolve(node + "-0" + History.SUFFIX))) {
            return lines.findFirst().orElseThrow();
        }
    }

    private static long leases(Evidence evidence, String one, String other) {
        return evidence.leases().stream()
                .filter(lease ->
                        lease.process().startsWith(one) || lease.process().startsWith(other))
                .count();
    }
}
