package io.leasekit.sample;

import static io.leasekit.sample.TwoNodesIT.both;
import static io.leasekit.sample.TwoNodesIT.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes of the sample, each in a separate process, one of which is killed while its job runs. */
class KilledNodeIT {

    private static final Duration TTL = Duration.ofSeconds(8);

    /** For a busy machine; TakeOverTest of the core has the exact time. */
    private static final Duration UNTIL_FREE = TTL.plusSeconds(12);

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void theRunOfAKilledNodeIsTakenUpByTheOtherAndOnlyOnce() throws IOException {
        NodeTable.Firing firing = table.startBeforeAFiring("node.long-job.cron", "node.long-job.ttl=" + TTL);
        NodeProcess one = firing.one();
        NodeProcess two = firing.two();
        Awaitility.await("firings of\n" + one + "\nand " + two)
                .atMost(Duration.between(Instant.now(), firing.at()).plus(PATIENCE))
                .until(() -> both(one, two, "Long job begins").count() == 1
                        && both(one, two, "Lease 'long-job' unavailable").count() == 1);
        NodeProcess runner = one.logs("Long job begins") ? one : two;
        NodeProcess other = runner == one ? two : one;

        runner.kill();
        Instant kill = Instant.now();
        other.await(PATIENCE, "Long job begins");

        assertThat(other.times("Long job begins"))
                .singleElement()
                .satisfies(begun -> assertThat(begun).isAfterOrEqualTo(kill)); // the next firing is an hour away
        assertThat(other.logs("Run '" + firing.at() + "' of '" + LongJob.class.getName()
                        + ".run' was not recorded as done when its key became free, and runs here"))
                .as(other.toString())
                .isTrue();
        assertThat(table.find("long-job").lastRun()).as("not done yet").isNull();
    }

    @Test
    @Tag("full")
    void theJobOfAKilledNodeIsTakenOverAfterItsTtl() throws IOException {
        String[] properties = {"node.long-job.cron=*/2 * * * * *", "node.long-job.ttl=" + TTL};
        NodeProcess killed = table.start(properties).awaitStart();
        killed.await(PATIENCE, "Long job begins");
        NodeProcess other = table.start(properties).awaitStart();
        other.await(PATIENCE, "Lease 'long-job' unavailable");

        killed.kill();
        Instant kill = Instant.now();
        other.await(PATIENCE, "Long job begins");

        Instant takeOver = other.times("Long job begins").get(0);
        assertThat(other.times("Firing"))
                .as("firings more than %s after %s and up to the take-over\nof %s", UNTIL_FREE, kill, other)
                .filteredOn(firing -> firing.isAfter(kill.plus(UNTIL_FREE)) && !firing.isAfter(takeOver))
                .hasSizeLessThanOrEqualTo(1
                        + other.lines("Unexpected error occurred in scheduled task")
                                .size());
        assertThat(takeOver).isAfter(kill);
        Awaitility.await("log of the acquires, by another thread")
                .atMost(PATIENCE)
                .until(() -> other.logs("Lease 'long-job' acquired"));
        assertThat(tokens(killed, other, "long-job")).hasSize(2).isSorted().doesNotHaveDuplicates();
    }
}
