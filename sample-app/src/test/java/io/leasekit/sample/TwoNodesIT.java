package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two nodes of the sample, each a process of its own, that share a table. */
class TwoNodesIT {

    private static final Pattern TOKEN = Pattern.compile("token (\\d+)");
    private static final Duration PERIOD = Duration.ofSeconds(12);

    /** A firing counts when both nodes fired so soon: a node that the machine holds up for longer outlasts any hold. */
    private static final Duration TIMELY = Duration.ofSeconds(1);

    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration UNTIL_FREE = TTL.plusSeconds(7);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void aJobShorterThanTheirDelayRunsOnceEachFiring() throws IOException {
        // the hold may last 2 s longer than asked, and has to end before the next firing
        String[] properties = {"sample.report.cron=*/12 * * * * *", "sample.report.hold-at-least=6s"};
        NodeProcess prompt = table.start(properties);
        NodeProcess late = table.start(properties[0], properties[1], "node.delay=200ms");
        prompt.awaitStart();
        late.awaitStart();

        Awaitility.await("firings of\n" + prompt + "\nand " + late)
                .atMost(PERIOD.multipliedBy(20))
                .until(() -> timelyFirings(prompt, late).size() >= 4);

        List<Instant> runs = ordered(prompt, late, "Report made").stream()
                .map(TwoNodesIT::firing)
                .toList();
        assertThat(timelyFirings(prompt, late))
                .allSatisfy(firing ->
                        assertThat(runs).as("runs\nof %s\nand %s", prompt, late).containsOnlyOnce(firing));
        assertThat(tokens(prompt, late, "report")).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theJobOfAKilledNodeIsTakenOverAfterItsTtl() throws IOException {
        String[] properties = {"sample.report.cron=-", "node.long-job.cron=*/2 * * * * *", "node.long-job.ttl=" + TTL};
        NodeProcess killed = table.start(properties).awaitStart();
        killed.await(Duration.ofSeconds(30), "Long job begins");
        NodeProcess other = table.start(properties).awaitStart();
        other.await(Duration.ofSeconds(30), "Lease 'long-job' unavailable");

        killed.kill();
        Instant kill = Instant.now();
        other.await(Duration.ofSeconds(60), "Long job begins");

        Instant takeOver = other.times("Long job begins").get(0);
        assertThat(other.times("Firing"))
                .as("firings until the take-over, later than %s after %s\nof %s", UNTIL_FREE, kill, other)
                .filteredOn(firing -> firing.isAfter(kill.plus(UNTIL_FREE)) && !firing.isAfter(takeOver))
                .hasSizeLessThanOrEqualTo(1);
        assertThat(takeOver).isAfter(kill);
        assertThat(tokens(killed, other, "long-job")).hasSize(2).isSorted().doesNotHaveDuplicates();
    }

    /** The firings, by the clock of the cron expression, at which neither node was late, nor at the one before. */
    private static List<Instant> timelyFirings(NodeProcess one, NodeProcess two) {
        return one.times("Firing").stream()
                .map(TwoNodesIT::firing)
                .distinct()
                .filter(firing -> Stream.of(one, two)
                        .allMatch(node -> isTimely(node, firing) && isTimely(node, firing.minus(PERIOD))))
                // a run that is still under way
                .filter(firing -> firing.plus(PERIOD).isBefore(Instant.now()))
                .toList();
    }

    private static boolean isTimely(NodeProcess node, Instant firing) {
        return node.times("Firing").stream().anyMatch(at -> !at.isBefore(firing) && at.isBefore(firing.plus(TIMELY)));
    }

    private static Instant firing(Instant at) {
        return at.minusMillis(Math.floorMod(at.toEpochMilli(), PERIOD.toMillis()));
    }

    private static List<Instant> ordered(NodeProcess one, NodeProcess two, String text) {
        return both(one, two, text).map(NodeProcess.LogLine::at).toList();
    }

    private static List<Long> tokens(NodeProcess one, NodeProcess two, String key) {
        return both(one, two, "Lease '" + key + "' acquired")
                .map(line -> token(line.text()))
                .toList();
    }

    private static Stream<NodeProcess.LogLine> both(NodeProcess one, NodeProcess two, String text) {
        return Stream.of(one, two)
                .flatMap(node -> node.lines(text).stream())
                .sorted(Comparator.comparing(NodeProcess.LogLine::at));
    }

    private static long token(String line) {
        Matcher matcher = TOKEN.matcher(line);
        assertThat(matcher.find()).as(line).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
