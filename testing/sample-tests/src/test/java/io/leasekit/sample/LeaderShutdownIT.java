package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SIGTERM to nodes that lead, each in a separate process. */
@Tag("full")
class LeaderShutdownIT {

    private static final Duration END = Duration.ofMinutes(10);

    /** So long that the next leader begins after a release only. LeaderElectionTest has the exact time. */
    private static final String TTL = "lease.ttl=1h";

    /** The time in which the other node, which may have started last, begins to campaign. */
    private static final String LEADER = "node.leader.end-after=2s";

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void theNextLeaderBeginsSoonAfterTheReturnOfTheFirstAndTheLastLeavesNoLease() throws Exception {
        NodeProcess one = table.start(LEADER, TTL);
        NodeProcess two = table.start(LEADER, TTL);
        one.awaitStart();
        two.awaitStart();
        Awaitility.await("a leader").atMost(Duration.ofMinutes(10)).until(() -> leads(one) || leads(two));
        NodeProcess first = leads(one) ? one : two;
        NodeProcess next = first == one ? two : one;
        assertThat(leads(next)).as("two leaders: %s and %s", one, two).isFalse();

        first.terminate();
        assertThat(first.awaitEnd(END)).as(first.toString()).isTrue();
        next.await(END, NodeLeader.BEGINS);

        Duration handOver = Duration.between(
                first.times(NodeLeader.RETURNS).get(0),
                next.times(NodeLeader.BEGINS).get(0));
        assertThat(handOver).as("from %s to %s", first, next).isGreaterThanOrEqualTo(Duration.ZERO);

        next.terminate();
        assertThat(next.awaitEnd(END)).as(next.toString()).isTrue();
        assertThat(next.logs(NodeLeader.RETURNS)).as(next.toString()).isTrue();
        assertThat(table.find(NodeLeader.KEY).held()).as(next.toString()).isFalse();
    }

    private static boolean leads(NodeProcess node) {
        return node.logs(NodeLeader.BEGINS);
    }
}
