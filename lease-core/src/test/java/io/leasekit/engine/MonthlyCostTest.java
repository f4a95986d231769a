package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The units of a month in docs/cost.md, for Leasekit. Each scenario runs with fewer leases for a shorter time,
 * and its units are counted. {@code RequestCountIT} shows that DynamoDB receives such requests.
 */
class MonthlyCostTest {

    private static final Path PAGE = Path.of("..", "docs", "cost.md");
    private static final double MONTH = Duration.ofDays(30).toSeconds();
    private static final double MILLION = 1e6;
    private static final double SHARE = 0.02; // by which a figure may differ

    private final Bench bench = new Bench();

    private Bench.Node start(String owner, Duration ttl, Duration heartbeat) {
        Bench.Node node = bench.start(owner, builder -> builder.ttl(ttl).heartbeatInterval(heartbeat));
        node.sample(2);
        return node;
    }

    private Bench.Node start(String owner) {
        return start(owner, Duration.ofSeconds(60), Duration.ofSeconds(20)); // the defaults
    }

    @Test
    void jobsThatOneOfThreeNodesRuns() throws IOException {
        List<Bench.Node> nodes = List.of(start("a"), start("b"), start("c"));
        int firings = 50 * 3;

        for (int firing = 0; firing < firings; firing++) {
            String job = "job-" + firing % 50;
            Lease lease = nodes.get(firing % 3).acquire(job);
            assertThat(nodes.get((firing + 1) % 3).tryAcquire(job)).isEmpty();
            assertThat(nodes.get((firing + 2) % 3).tryAcquire(job)).isEmpty();
            lease.close();
            bench.advance(Duration.ofMinutes(1).dividedBy(50));
        }

        int writes = nodes.stream().mapToInt(node -> units(node, "writes")).sum();
        assertShown("50 jobs a minute on 3 nodes", "writes", writes / (firings / 50.0) / 60);
    }

    @Test
    void jobsOfTwoNodesInDollars() throws IOException {
        List<Bench.Node> nodes = List.of(startReadingPauses("a"), startReadingPauses("b"));
        int firings = 20 * 10;
        for (int firing = 0; firing < firings; firing++) {
            String job = "job-" + firing % 20;
            Lease lease = nodes.get(firing % 2).acquire(job);
            assertThat(nodes.get((firing + 1) % 2).tryAcquire(job)).isEmpty();
            lease.close();
            bench.advance(Duration.ofMinutes(1).dividedBy(20));
        }

        double writes = nodes.stream().mapToInt(node -> counted(node, false)).sum() / (firings / 20.0) / 60;
        double reads = nodes.stream().mapToInt(node -> counted(node, true)).sum() / (firings / 20.0) / 60;
        assertShown("20 jobs a minute on 2 nodes", "writes", writes);
        assertShown("20 jobs a minute on 2 nodes", "reads", reads);
        double dollars = writes * 0.625 * MONTH / MILLION;
        double pauses = reads * 0.125 * MONTH / MILLION;
        assertThat(Files.readString(PAGE).replaceAll("\\s+", " "))
                .contains("$0.625 per million write units, $0.125 per million read units")
                .contains(String.format(Locale.ROOT, "2.59 million writes: **$%.2f a month**", dollars))
                .contains(String.format(Locale.ROOT, "0.86 million reads: **$%.2f a month**", dollars + pauses));
    }

    private Bench.Node startReadingPauses(String owner) {
        Bench.Node node = bench.start(owner, builder -> builder.pauses(true));
        node.sample(2);
        return node;
    }

    @ParameterizedTest
    @CsvSource({"50 cron jobs a minute on 3 nodes, 3", "50 cron jobs a minute on 6 nodes, 6"})
    void slotsThatTheOtherNodesWaitFor(String row, int count) throws IOException {
        List<Bench.Node> nodes =
                IntStream.range(0, count).mapToObj(i -> start("node-" + i)).toList();
        Duration distance = Duration.ofMinutes(1).dividedBy(50);
        int atOnce = 25; // runs of 30 s
        int firings = 50 * 6;
        Queue<Lease> running = new ArrayDeque<>();

        for (int firing = 0; firing < firings; firing++) {
            LeaseRequest slot = LeaseRequest.of("job-" + firing % 50).once("slot-" + firing / 50, OnceOrder.GROWING);
            Bench.Node first = nodes.get(firing % count);
            running.add(first.acquire(slot));
            for (Bench.Node other : nodes.stream().filter(node -> node != first).toList()) {
                assertThat(other.tryAcquire(slot)).isEmpty();
                var unused = other.leases.acquireAsync(slot.waitFor(LeaseRequest.UNLIMITED));
            }
            bench.advance(distance);
            if (running.size() == atOnce) {
                Lease oldest = running.remove();
                oldest.recordRun(LeaseRunOutcome.SUCCEEDED);
                oldest.close();
            }
            if (firing == firings / 2 - 1) {
                nodes.forEach(node -> node.store.verbs()); // from now on each minute is like the others
            }
        }

        for (String kind : List.of("writes", "reads")) {
            int units = nodes.stream()
                    .mapToInt(node -> counted(node, kind.equals("reads")))
                    .sum();
            assertShown(row, kind, units / (firings / 2 / 50.0) / 60);
        }
    }

    @ParameterizedTest
    @CsvSource({"'10,000 locks held', 20", "'10,000 locks held, with heartbeats every 5 s', 5"})
    void heldLeases(String row, int heartbeat) throws IOException {
        Bench.Node node = start("here", Duration.ofSeconds(60), Duration.ofSeconds(heartbeat));
        for (int i = 0; i < 500; i++) {
            node.acquire("key-" + i);
            bench.advance(Duration.ofMillis(20));
        }
        bench.advance(Duration.ofMinutes(1));
        node.store.verbs();

        bench.advance(Duration.ofMinutes(5));

        assertShown(row, "writes", 20 * units(node, "writes") / 300.0);
    }

    @Test
    void callersThatWaitForAKeyEach() throws IOException {
        Bench.Node waiting = start("waiting");
        Bench.Node holder = start("holder");
        for (int i = 0; i < 20; i++) {
            holder.acquire("key-" + i);
            waiting.waiting("key-" + i);
        }

        assertShown("1,000 callers that wait all the time, for 1,000 keys", "reads", 50 * readsASecond(waiting));
    }

    @Test
    void callersOfOneProcessThatWaitForOneKey() throws IOException {
        Bench.Node waiting = start("waiting");
        start("holder").acquire("key");
        for (int i = 0; i < 1_000; i++) {
            waiting.waiting("key");
        }

        assertShown("1,000 callers that wait all the time, for one key", "reads", readsASecond(waiting));
    }

    private double readsASecond(Bench.Node waiting) {
        bench.advance(Duration.ofMinutes(1));
        waiting.store.verbs();
        bench.advance(Duration.ofMinutes(5));
        return units(waiting, "reads") / 300.0;
    }

    /** Returns the units of this kind since the last call. Asserts that there are no others. */
    private static int units(Bench.Node node, String kind) {
        boolean reads = kind.equals("reads");
        int units = counted(node, reads);
        assertThat(units).isPositive();
        assertThat(counted(node, !reads)).isZero();
        node.store.verbs();
        return units;
    }

    private static int counted(Bench.Node node, boolean reads) {
        return Stream.of(ScriptedStore.Verb.values())
                .filter(verb -> (verb == READ) == reads)
                .flatMap(verb -> node.store.sent(verb).stream())
                .mapToInt(request -> request.keys().size())
                .sum();
    }

    private static void assertShown(String row, String kind, double unitsASecond) throws IOException {
        String page = Files.readString(PAGE);
        double counted = unitsASecond * MONTH / MILLION;

        MatchResult shown = Pattern.compile(
                        "(?m)^\\| " + Pattern.quote(row) + "[^|]* \\| [^|]*?([\\d.,]+) million " + kind)
                .matcher(page)
                .results()
                .findFirst()
                .orElseThrow();
        assertThat(Double.parseDouble(shown.group(1).replace(",", "")))
                .as("million %s of '%s'", kind, row)
                .isCloseTo(counted, within(SHARE * counted));
    }
}
