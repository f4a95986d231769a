package io.leasekit.sample;

import static io.leasekit.sample.TwoNodesIT.both;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SIGTERM to the node that imports for more than two minutes, while another node waits for its run. */
@Tag("full")
class RollingRestartIT {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void theImportStopsAndTheOtherNodeGoesOn() throws Exception {
        NodeTable.Firing firing = table.startBeforeAFiring(
                "sample.import.cron",
                "sample.import.table=imported-" + UUID.randomUUID(),
                "sample.import.pause=700ms", // after each 50 of 10,000 lines: 140 s
                "logging.level.io.leasekit.spring.call=DEBUG",
                "spring.lifecycle.timeout-per-shutdown-phase=60s");
        Awaitility.await("import and wait of\n" + firing.one() + "\nand " + firing.two())
                .atMost(Duration.between(Instant.now(), firing.at()).plus(PATIENCE))
                .until(() ->
                        both(firing.one(), firing.two(), "goes on after line 0").count() == 1
                                && both(firing.one(), firing.two(), "waiting until it is free")
                                                .count()
                                        == 1);
        NodeProcess first = firing.one().logs("goes on after line 0") ? firing.one() : firing.two();
        NodeProcess other = first == firing.one() ? firing.two() : firing.one();
        Awaitility.await("progress")
                .atMost(PATIENCE)
                .until(() -> table.find("import").progress() != null);

        Instant asked = Instant.now();
        first.terminate();
        assertThat(first.awaitEnd(PATIENCE)).as(first.toString()).isTrue();
        Duration ended = Duration.between(asked, Instant.now());
        other.await(PATIENCE, "goes on after line");

        Duration handOver =
                Duration.between(asked, other.times("goes on after line").get(0));
        String times = "ended after " + ended + ", went on after " + handOver + ":\n" + first + "\nand " + other;
        assertThat(first.logs("was asked to stop")).as(times).isTrue();
        assertThat(first.logs("lines has ended")).as(times).isFalse();
        assertThat(first.logs("ERROR") || first.logs("RunStoppedException"))
                .as(times)
                .isFalse();
        assertThat(other.logs("goes on after line 0")).as(times).isFalse();
        // a take-over, after a wait of the ttl
        assertThat(other.logs("Lease 'import' (token")).as(times).isFalse();
        assertThat(ended).as(times).isLessThan(Duration.ofSeconds(20)); // 2 s; a busy machine may need more
        assertThat(handOver).as(times).isLessThan(Duration.ofSeconds(20));
    }
}
