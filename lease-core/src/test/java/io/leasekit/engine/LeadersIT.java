package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Processes of which one leads, while signals end or stop them. */
class LeadersIT {

    private static final Duration TTL = Duration.ofSeconds(4);
    /** For a busy machine; {@link LeaderElectionTest} has the exact times. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private static final Duration TAKE_OVER = TTL.plusSeconds(8);

    private final String key = UUID.randomUUID().toString();

    /** A process that takes part in the election, with the output of its leader. */
    private final class Node {
        private final LeaseProcesses.Child process;
        private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

        Node(LeaseProcesses processes, String owner) throws IOException {
            process = processes.start(owner, Map.of());
            assertThat(process.answer()).isEqualTo("ready");
            process.tell("lead " + key);
            Thread reader = new Thread(this::read, "output-of-" + owner);
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            String line;
            do {
                line = process.answer();
                output.add(line);
            } while (!line.equals("ended"));
        }

        /** Waits for the next line of this kind, and returns its time in milliseconds. */
        long await(String kind, Duration atMost) throws InterruptedException {
            long end = System.nanoTime() + atMost.toNanos();
            while (true) {
                String line = output.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                assertThat(line).as("'%s' within %s", kind, atMost).isNotNull();
                if (line.startsWith(kind + " ")) {
                    return Long.parseLong(line.substring(kind.length() + 1));
                }
            }
        }
    }

    @Test
    @Timeout(120)
    void leadershipPassesOnWithoutAnOverlap() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            Node one = new Node(processes, "one");
            one.await("begin", Duration.ofSeconds(20));
            Node two = new Node(processes, "two");

            leadershipPassesOnAtEachStop(one, two);
            one.process.signal("TERM"); // after an odd number of stops, the other one leads
            Node three = new Node(processes, "three");
            three.process.tell("campaign " + key);
            three.await("waits", TAKE_OVER);
            leadershipPassesOnAtTheEndOfAProcess(two, three);

            assertThat(tokens()).isSorted();
            assertThat(tokens().stream().distinct().count()).isGreaterThanOrEqualTo(4);
        }
    }

    private static void leadershipPassesOnAtEachStop(Node first, Node second) throws Exception {
        Node leader = first;
        Node other = second;
        for (int stop = 0; stop < 3; stop++) {
            leader.process.signal("STOP");
            other.await("begin", TAKE_OVER);
            leader.process.signal("CONT");
            leader.await("end", SOON);
            Node former = leader;
            leader = other;
            other = former;
        }
    }

    private static void leadershipPassesOnAtTheEndOfAProcess(Node leader, Node other) throws Exception {
        leader.process.signal("TERM");
        long ended = leader.await("end", SOON);
        assertThat(other.await("begin", SOON)).as("begin of the next leader").isGreaterThanOrEqualTo(ended);
    }

    @Test
    @Timeout(60)
    void aKilledLeaderIsReplaced() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            Node killed = new Node(processes, "killed");
            killed.await("begin", Duration.ofSeconds(20));
            Node other = new Node(processes, "other");

            killed.process.signal("KILL");
            other.await("begin", TAKE_OVER);

            assertThat(tokens()).isSorted();
        }
    }

    private List<Long> tokens() {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            Map<String, AttributeValue> item = client.getItem(request -> request.tableName(LeaseProcesses.TABLE)
                            .key(Map.of("key", AttributeValue.fromS(RefereedLeader.referee(key))))
                            .consistentRead(true))
                    .join()
                    .item();
            return item.get(RefereedLeader.TOKENS).l().stream()
                    .map(token -> Long.valueOf(token.n()))
                    .toList();
        }
    }
}
