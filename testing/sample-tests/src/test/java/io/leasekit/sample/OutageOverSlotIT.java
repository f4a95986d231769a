package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Nodes in separate processes that cannot run a job at its time: the table does not answer, or the scheduler has no thread. */
@Tag("full")
class OutageOverSlotIT {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration SOAK = Duration.ofMinutes(2);

    /** A slot at which the table answers for so long has its run: requests of the outage have ended, and the nodes have noticed. */
    private static final Duration ANSWERED = Duration.ofSeconds(7);

    private static final Logger log = LoggerFactory.getLogger(OutageOverSlotIT.class);
    private static final String CRON = "sample.report.cron";

    private final NodeTable table = new NodeTable();
    private final Relay relay = new Relay(LocalDynamoDb.endpoint());

    OutageOverSlotIT() throws IOException {}

    @AfterEach
    void end() {
        table.close();
        relay.cut();
    }

    private static void awaitTime(Instant time) {
        Awaitility.await("time " + time)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> Instant.now().isAfter(time));
    }

    @Test
    void aSlotWithoutATableIsRunOnceWhenTheTableAnswersAgain() throws IOException {
        NodeTable.Firing firing = table.startBeforeAFiring(
                CRON, "leasekit.dynamodb.endpoint=" + relay.endpoint(), "lease.store-timeout=6s");
        awaitTime(firing.at().minusSeconds(3));
        relay.cut();
        awaitTime(firing.at().plusSeconds(30));
        assertThat(runs(firing)).isEmpty();

        relay.mend();

        Awaitility.await("run of\n" + firing.one() + "\nand " + firing.two())
                .atMost(PATIENCE)
                .until(() -> firing.at()
                        .toString()
                        .equals(
                                table.find("report").lastRun() == null
                                        ? null
                                        : table.find("report").lastRun().name()));
        assertThat(runs(firing))
                .as("runs of\n%s\nand %s", firing.one(), firing.two())
                .hasSize(1);
        log.info("Slot {}: {}", firing.at(), lines(firing, "Run "));
        assertThat(lines(firing, "Run '" + firing.at() + "' of "))
                .anyMatch(line -> line.text().matches(".* begins \\d+.* late, because table .* did not answer.*"));
        assertThat(lines(firing, " ERROR "))
                .as("lines of\n%s\nand %s", firing.one(), firing.two())
                .isEmpty();
    }

    /**
     * Outages of 1 to 25 s over slots of 10 s. How many slots have a run depends on them and on the machine; it is logged. A slot
     * has its run if the table answers for most of the time until the next one.
     */
    @Test
    void outagesAcrossManySlotsRepeatNoneAndLoseNoneThatTheTableAnswersIn() throws Exception {
        Random random = new Random(52);
        String[] properties = {
            "leasekit.dynamodb.endpoint=" + relay.endpoint(), "lease.store-timeout=6s", CRON + "=*/10 * * * * *"
        };
        NodeProcess one = table.start(properties).awaitStart();
        NodeProcess two = table.start(properties).awaitStart();
        List<NodeProcess> nodes = List.of(one, two);
        Instant begin = Instant.now();
        Instant mendedLast = begin;
        Set<Instant> answered = new TreeSet<>();
        while (Instant.now().isBefore(begin.plus(SOAK))) {
            relay.cut();
            awaitTime(Instant.now().plusMillis(random.nextLong(1_000, 25_000)));
            relay.mend();
            Instant mended = Instant.now();
            awaitTime(mended.plusMillis(random.nextLong(1_000, 25_000)));
            answered.addAll(answered(mended, Instant.now()));
            mendedLast = mended;
        }
        int before = reports(nodes).size();
        Awaitility.await("further runs of\n" + nodes)
                .atMost(PATIENCE)
                .until(() -> reports(nodes).size() >= before + 3);
        answered.addAll(answered(mendedLast, Instant.now()));

        List<NodeProcess.LogLine> reports = reports(nodes);
        List<Instant> slots =
                reports.stream().map(OutageOverSlotIT::slot).sorted().toList();
        log.info(
                "{} runs in {} with outages, {} slots with a table",
                slots.size(),
                Duration.between(begin, Instant.now()),
                answered.size());
        assertThat(slots).as("runs of\n%s", nodes).doesNotHaveDuplicates().containsAll(answered);
        assertThat(answered).isNotEmpty();
        assertThat(reports)
                .as("no run begins before its slot")
                .allSatisfy(line -> assertThat(line.at()).isAfterOrEqualTo(slot(line)));
        assertThat(nodes)
                .as("missed slots have a line and no stack trace")
                .allSatisfy(node -> assertThat(node.lines("\tat ")).isEmpty());
    }

    /** Returns the slots of 10 s in which a table that answers between these times does so for long enough. */
    private static List<Instant> answered(Instant from, Instant to) {
        return LongStream.rangeClosed(from.getEpochSecond() / 10, to.getEpochSecond() / 10)
                .mapToObj(number -> Instant.ofEpochSecond(number * 10))
                .filter(slot -> overlap(from, to, slot).compareTo(ANSWERED) >= 0)
                .toList();
    }

    private static Duration overlap(Instant from, Instant to, Instant slot) {
        Instant next = slot.plusSeconds(10);
        return Duration.between(from.isAfter(slot) ? from : slot, to.isBefore(next) ? to : next);
    }

    private static List<NodeProcess.LogLine> reports(List<NodeProcess> nodes) {
        return nodes.stream().flatMap(node -> node.lines("Report of ").stream()).toList();
    }

    private static Instant slot(NodeProcess.LogLine line) {
        return Instant.parse(line.text().replaceAll(".*Report of (\\S+) made.*", "$1"));
    }

    private static List<NodeProcess.LogLine> runs(NodeTable.Firing firing) {
        return lines(firing, "Report of " + firing.at() + " made");
    }

    private static List<NodeProcess.LogLine> lines(NodeTable.Firing firing, String text) {
        return Stream.concat(firing.one().lines(text).stream(), firing.two().lines(text).stream())
                .toList();
    }

    @Test
    void aFiringThatWaitsForAThreadIsForTheTimeForWhichItWasScheduled() throws IOException {
        Busy started = startBusy(Duration.ofSeconds(45));
        NodeProcess node = started.node;

        node.await(PATIENCE, "Report of ");

        List<NodeProcess.LogLine> reports = node.lines("Report of ");
        assertThat(reports).as(node.toString()).singleElement().satisfies(line -> {
            assertThat(line.text()).contains("Report of " + started.slot() + " made");
            assertThat(line.at()).isAfter(started.from.plusSeconds(40));
        });
        log.info("Slot {}: {}", started.slot(), reports);
    }

    /** A node with one thread, which another job has from this time on, also at that of the slot. */
    private record Busy(Instant from, NodeProcess node) {
        Instant slot() {
            return from.plusSeconds(5);
        }
    }

    /** Starts a node. If it takes longer to start than this, it is started again with more time. */
    private Busy startBusy(Duration lead) throws IOException {
        Instant from = Instant.now().plus(lead).truncatedTo(ChronoUnit.SECONDS);
        NodeProcess node = table.start(
                        "spring.task.scheduling.pool.size=1",
                        "node.long-job.cron=" + hourly(from),
                        "node.long-job.length=40s",
                        "node.long-job.end-after=0s",
                        CRON + "=" + hourly(from.plusSeconds(5)))
                .awaitStart();
        if (Instant.now().isBefore(from.minusSeconds(3))) {
            return new Busy(from, node);
        }
        node.close();
        return startBusy(lead.multipliedBy(2));
    }

    private static String hourly(Instant time) {
        return DateTimeFormatter.ofPattern("s m * * * *").format(time.atZone(ZoneId.systemDefault()));
    }

    /** Passes connections to DynamoDB Local, until it is cut. */
    private static final class Relay {

        private final URI server;
        private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
        private final int port;

        Relay(URI server) throws IOException {
            this.server = server;
            this.port = listen(0);
        }

        String endpoint() {
            return "http://127.0.0.1:" + port;
        }

        void mend() throws IOException {
            listen(port);
        }

        /** Closes all connections and takes no further one. */
        void cut() {
            open.forEach(Relay::close);
            open.clear();
        }

        private int listen(int wanted) throws IOException {
            ServerSocket listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted), 200);
            open.add(listener);
            daemon(() -> accept(listener));
            return listener.getLocalPort();
        }

        private void accept(ServerSocket listener) throws IOException {
            while (true) {
                Socket client = listener.accept();
                Socket there = new Socket(server.getHost(), server.getPort());
                open.add(client);
                open.add(there);
                daemon(() -> pass(client, there));
                daemon(() -> pass(there, client));
            }
        }

        private static void pass(Socket from, Socket to) throws IOException {
            try {
                from.getInputStream().transferTo(to.getOutputStream());
            } finally {
                close(from);
                close(to);
            }
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void daemon(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // it was cut
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private static void close(Closeable socket) {
            try {
                socket.close();
            } catch (IOException e) {
                // it is closed
            }
        }
    }
}
