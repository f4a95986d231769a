package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasekit.dynamodb.local.Faketime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes in separate processes that fire the same job by their wrong wall clocks. */
@Tag("full")
class SlotsIT {

    private static final Duration PERIOD = Duration.ofSeconds(15);
    private static final String CRON = "sample.report.cron=*/15 * * * * *";

    /**
     * Seconds off: {@code NEAR} is less than half of the period, {@code FAR} is more. Both are so far from half of it that
     * a firing that a busy machine delays still belongs to its slot.
     */
    private static final int NEAR = 2;

    private static final int FAR = 12;

    private final NodeTable table = new NodeTable();
    private Faketime faketime;

    @BeforeEach
    void findFaketime() throws IOException {
        Optional<Faketime> found = Faketime.find();
        assumeTrue(found.isPresent(), "faketime is not installed");
        faketime = found.orElseThrow();
    }

    private NodeProcess node(int secondsOff) throws IOException {
        return table.start(faketime.off(Duration.ofSeconds(secondsOff)), CRON, "lease.ttl=5s");
    }

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void clocksThatAreOffNeitherRepeatNorSkipASlotUnlessByMoreThanHalfTheirDistance() throws IOException {
        NodeProcess ahead = node(NEAR);
        NodeProcess behind = node(-NEAR);
        NodeProcess far = node(FAR);
        List<NodeProcess> all = List.of(ahead, behind, far);
        all.forEach(NodeProcess::awaitStart);

        await(all, 3);
        kill(ahead); // the first node at each slot
        await(List.of(behind), 2);
        kill(far);
        await(List.of(behind), 2);

        List<Instant> slots = slots(all);
        assertThat(slots).as("runs of\n%s", all).doesNotHaveDuplicates();
        assertThat(gaps(slots)).as("runs of\n%s", all).isNotEmpty().containsOnly(PERIOD);
        assertThat(slots(List.of(ahead))).as("runs of %s", ahead).isNotEmpty();
        assertThat(slots(List.of(behind))).as("runs of %s", behind).isNotEmpty();
    }

    /** Kills a node between two runs. Another test covers the run of a dead node. */
    private void kill(NodeProcess node) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> !table.find("report").held());
        node.kill();
    }

    /** Waits for this number of further firings on each node. */
    private static void await(List<NodeProcess> nodes, int firings) {
        List<Integer> before =
                nodes.stream().map(node -> node.lines("Firing").size()).toList();
        Awaitility.await("firings of\n" + nodes)
                .atMost(Duration.ofMinutes(10))
                .until(() -> IntStream.range(0, nodes.size())
                        .allMatch(i -> nodes.get(i).lines("Firing").size() >= before.get(i) + firings));
    }

    private static List<Instant> slots(List<NodeProcess> nodes) {
        return nodes.stream()
                .flatMap(node -> node.lines("Report of ").stream())
                .map(line -> Instant.parse(line.text().replaceAll(".*Report of (\\S+) made.*", "$1")))
                .sorted()
                .toList();
    }

    private static List<Duration> gaps(List<Instant> times) {
        return IntStream.range(1, times.size())
                .mapToObj(i -> Duration.between(times.get(i - 1), times.get(i)))
                .toList();
    }
}
