package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseInfo;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SIGTERM to a node that runs in a separate process, in the middle of a job. */
@Tag("full")
class ShutdownIT {

    private static final String KEY = "long-job";
    private static final Duration TTL = Duration.ofSeconds(15);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void aJobThatEndsInTimeLeavesNoLeaseBehind() throws Exception {
        NodeProcess node = inTheJob("node.long-job.end-after=1s", "spring.lifecycle.timeout-per-shutdown-phase=10m");

        node.terminate();

        assertThat(node.awaitEnd(Duration.ofMinutes(10))).as(node.toString()).isTrue();
        node.await(Duration.ofMinutes(10), "Long job has ended");
        assertThat(table.find(KEY)).as(node.toString()).matches(lease -> !lease.held());
    }

    @Test
    void aJobThatDoesNotEndLeavesItsLeaseUntilItsTtl() throws Exception {
        NodeProcess node = inTheJob("node.long-job.end-after=1h", "spring.lifecycle.timeout-per-shutdown-phase=1s");

        node.terminate();

        assertThat(node.awaitEnd(Duration.ofMinutes(10))).as(node.toString()).isTrue();
        LeaseInfo left = table.find(KEY);
        assertThat(left).as(node.toString()).matches(LeaseInfo::held);
        assertThat(table.awaitFree(KEY, Duration.ofMinutes(10))).isGreaterThan(left.fencingToken());
        assertThat(node.logs("Long job has ended")).isFalse();
    }

    private NodeProcess inTheJob(String... properties) throws Exception {
        String[] all = {
            "node.long-job.cron=* * * * * *", "node.long-job.ttl=" + TTL, properties[0], properties[1],
        };
        NodeProcess node = table.start(all).awaitStart();
        node.await(Duration.ofMinutes(10), "Long job begins");
        return node;
    }
}
