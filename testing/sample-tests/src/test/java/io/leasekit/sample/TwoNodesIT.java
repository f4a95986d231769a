package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes of the sample, each in a separate process, that share a table. */
@Tag("full")
class TwoNodesIT {

    private static final Pattern TOKEN = Pattern.compile("token (\\d+)");
    private static final Duration COOLDOWN = Duration.ofSeconds(24);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void eachJobRunsAsOftenAsItIsToWhicheverNodeFires() throws IOException {
        String[] properties = {
            "sample.report.cron=*/10 * * * * *",
            "sample.clean-up.initial-delay=0s",
            "sample.clean-up.delay=5s",
            "sample.clean-up.cooldown=" + COOLDOWN,
            "node.delay=0s"
        };
        NodeProcess prompt = table.start(properties);
        properties[4] = "node.delay=200ms"; // far longer than the job
        NodeProcess late = table.start(properties);
        prompt.awaitStart();
        late.awaitStart();

        Awaitility.await("runs of\n" + prompt + "\nand " + late)
                .atMost(Duration.ofMinutes(10))
                .until(() -> ordered(prompt, late, "Cleaned up").size() >= 3
                        && prompt.lines("Firing").size() >= 6
                        && late.lines("Firing").size() >= 6);

        List<Instant> slots = slots(prompt, late);
        assertThat(slots)
                .as("runs of\n%s\nand %s", prompt, late)
                .hasSizeGreaterThan(3)
                .doesNotHaveDuplicates();
        assertThat(gaps(slots)).as("runs of\n%s\nand %s", prompt, late).containsOnly(Duration.ofSeconds(10));
        // a busy machine may delay the first of two and not the second; without a cooldown, gaps are 5 s at most
        assertThat(gaps(ordered(prompt, late, "Cleaned up")))
                .as("runs of\n%s\nand %s", prompt, late)
                .allSatisfy(gap -> assertThat(gap).isGreaterThan(Duration.ofSeconds(13)));
        assertThat(tokens(prompt, late, "report")).isSorted().doesNotHaveDuplicates();
    }

    /** Returns the slots of the runs of the report. */
    private static List<Instant> slots(NodeProcess one, NodeProcess two) {
        return both(one, two, "Report of ")
                .map(line -> Instant.parse(line.text().replaceAll(".*Report of (\\S+) made.*", "$1")))
                .toList();
    }

    private static List<Duration> gaps(List<Instant> times) {
        return IntStream.range(1, times.size())
                .mapToObj(i -> Duration.between(times.get(i - 1), times.get(i)))
                .toList();
    }

    private static List<Instant> ordered(NodeProcess one, NodeProcess two, String text) {
        return both(one, two, text).map(NodeProcess.LogLine::at).toList();
    }

    static List<Long> tokens(NodeProcess one, NodeProcess two, String key) {
        return both(one, two, "Lease '" + key + "' acquired")
                .map(line -> token(line.text()))
                .toList();
    }

    static Stream<NodeProcess.LogLine> both(NodeProcess one, NodeProcess two, String text) {
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
