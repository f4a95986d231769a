package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Processes that take part in one election, with the output of their leaders. Closing it ends them. Not thread-safe.
 *
 * @see RefereedLeader
 */
final class Electorate implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final String key = UUID.randomUUID().toString();
    private final LeaseProcesses processes;
    private final Map<String, String> environment;
    private final BlockingQueue<Event> arriving = new LinkedBlockingQueue<>();
    private final List<Event> events = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();

    Electorate(Duration ttl, Map<String, String> environment) {
        this.processes = new LeaseProcesses(ttl);
        this.environment = environment;
    }

    /** A line of a process. Those about no term have the token 0. */
    record Event(Node node, String kind, long token, long nanos) {}

    /** A process. */
    final class Node {

        private final LeaseProcesses.Child process;

        private Node(String owner) throws IOException {
            process = processes.start(owner, environment);
            Thread reader = new Thread(this::read, "output-of-" + owner);
            reader.setDaemon(true);
            reader.start();
            process.tell("lead " + key);
        }

        private void read() {
            Event event;
            do {
                String[] line = process.answer().split(" ");
                boolean ofTerm = line.length == 3;
                event = new Event(
                        this, line[0], ofTerm ? Long.parseLong(line[1]) : 0, ofTerm ? Long.parseLong(line[2]) : 0);
                arriving.add(event);
            } while (!event.kind().equals("ended"));
        }

        void signal(String name) throws Exception {
            process.signal(name);
        }
    }

    /** Starts a process without waiting for it. */
    void start() throws IOException {
        nodes.add(new Node("node-" + nodes.size()));
    }

    /** Returns the first write of the last term. */
    Event lastTerm() {
        receive();
        return events.stream()
                .filter(event -> event.kind().equals("writes"))
                .max(Comparator.comparing(Event::token))
                .orElseThrow();
    }

    /** Returns the number of events of this kind. */
    long count(String kind) {
        receive();
        return events.stream().filter(event -> event.kind().equals(kind)).count();
    }

    private void receive() {
        arriving.drainTo(events);
    }

    /** Returns the first event whose kind matches and that the condition holds for. Waits for it if it has not come. */
    Event await(String kind, Predicate<Event> condition) throws InterruptedException {
        return await(0, kind, condition);
    }

    private Event await(int from, String kind, Predicate<Event> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int next = from;
        while (true) {
            if (next == events.size()) {
                Event event = arriving.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                assertThat(event)
                        .as("'%s' within %s after\n%s", kind, PATIENCE, events)
                        .isNotNull();
                events.add(event);
            }
            Event event = events.get(next++);
            if (event.kind().matches(kind) && condition.test(event)) {
                return event;
            }
        }
    }

    /** Waits until a process other than this one has found that another leads. */
    void awaitCampaign(Node leader) throws InterruptedException {
        receive();
        int from = events.size();
        nodes.stream().filter(node -> node != leader).forEach(node -> node.process.tell("campaign " + key));
        await(from, "waits", event -> event.node() != leader);
    }

    /** Returns the tokens of the writes in their order, without repetitions in a row. */
    List<Long> tokens() {
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

    @Override
    public void close() {
        processes.close();
    }
}
