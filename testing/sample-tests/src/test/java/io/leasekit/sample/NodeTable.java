package io.leasekit.sample;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.awaitility.Awaitility;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The table of one test, with the nodes that share it. Closing it ends the nodes. */
final class NodeTable implements AutoCloseable {

    private static final List<String> OFF = List.of(
            "sample.report.cron=-", "sample.clean-up.initial-delay=1h", "sample.import.cron=-", "node.long-job.cron=-");

    private final String name = "nodes-" + UUID.randomUUID();
    private final List<NodeProcess> nodes = new ArrayList<>();

    /** Launches a node with these properties. */
    NodeProcess start(String... properties) throws IOException {
        return start(Map.of(), properties);
    }

    /** Launches a node with this environment and these properties. Jobs without a property are off. */
    NodeProcess start(Map<String, String> environment, String... properties) throws IOException {
        return add(NodeProcess.start(environment, all(properties)));
    }

    /** Launches the sample with these properties, as it was processed ahead of time. Jobs without a property are off. */
    NodeProcess startProcessed(String... properties) throws IOException {
        return add(NodeProcess.startProcessed(all(properties)));
    }

    /** Launches the sample from this native image with these properties. Jobs without a property are off. */
    NodeProcess startNative(String image, String... properties) throws IOException {
        return add(NodeProcess.startNative(image, all(properties)));
    }

    private NodeProcess add(NodeProcess node) {
        nodes.add(node);
        return node;
    }

    private List<String> all(String... properties) {
        List<String> defaults = new ArrayList<>(OFF);
        defaults.add("leasekit.dynamodb.endpoint=" + LocalDynamoDb.endpoint());
        defaults.add("lease.table.name=" + name);
        defaults.add("lease.store-timeout=60s"); // a busy machine may answer the first requests too late
        List<String> all = new ArrayList<>(List.of(properties));
        for (String value : defaults) {
            if (all.stream().noneMatch(property -> property.startsWith(value.substring(0, value.indexOf('=') + 1)))) {
                all.add(value);
            }
        }
        return all;
    }

    /** Two nodes whose job fires once, at this time. */
    record Firing(Instant at, NodeProcess one, NodeProcess two) {}

    /**
     * Starts two nodes well before both fire once; {@code cron}: the property of the expression. If they take longer to
     * start, they are started again with more time.
     */
    Firing startBeforeAFiring(String cron, String... properties) throws IOException {
        return startBeforeAFiring(Duration.ofSeconds(45), cron, properties);
    }

    private Firing startBeforeAFiring(Duration lead, String cron, String... properties) throws IOException {
        Instant at = Instant.now().plus(lead).truncatedTo(ChronoUnit.SECONDS);
        String hourly = DateTimeFormatter.ofPattern("s m * * * *").format(at.atZone(ZoneId.systemDefault()));
        List<String> all = new ArrayList<>(List.of(properties));
        all.add(cron + "=" + hourly);
        NodeProcess one = start(all.toArray(String[]::new));
        NodeProcess two = start(all.toArray(String[]::new));
        one.awaitStart();
        two.awaitStart();
        if (Instant.now().isBefore(at.minusSeconds(3))) {
            return new Firing(at, one, two);
        }
        one.close();
        two.close();
        return startBeforeAFiring(lead.multipliedBy(2), cron, properties);
    }

    /** Reads the lease, again if a busy machine does not answer in time. */
    LeaseInfo find(String key) {
        return with(leases -> Awaitility.await("lease " + key)
                        .ignoreExceptionsInstanceOf(LeaseStoreException.class)
                        .atMost(Duration.ofMinutes(10))
                        .until(() -> leases.find(key), Optional::isPresent))
                .orElseThrow();
    }

    /** Waits for the lease and returns its token. */
    long awaitFree(String key, Duration atMost) {
        return with(leases -> {
            try (var lease = leases.acquire(LeaseRequest.of(key).waitFor(atMost))) {
                return lease.fencingToken();
            }
        });
    }

    private <T> T with(Function<LeaseManager, T> use) {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build();
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, name))
                        .owner("test")
                        .storeTimeout(Duration.ofMinutes(1))
                        .build()) {
            client.describeTable(request -> request.tableName(name)).join(); // the first request may take seconds
            return use.apply(leases);
        }
    }

    @Override
    public void close() {
        nodes.forEach(NodeProcess::close);
    }
}
