package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Processes under fire. One seed draws the weather of the network, the misfortunes of the processes, and what they ask for;
 * it does not repeat their threads. At the end all faults stop, the processes end, the last process acquires every key, and
 * the tables are saved beside the histories.
 */
final class Storm {

    private static final Duration CLOCK_ERROR = Duration.ofHours(1);
    private static final int LONGEST_CALM_MILLIS = 2_500;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * What a storm is like.
     *
     * @param nodes the processes, and what is wrong with each
     * @param calm whether nothing happens to requests and processes
     */
    record Plan(Path folder, Duration duration, long seed, List<Broken> nodes, boolean calm) {}

    /** What has happened. */
    record Report(Map<Fate, Integer> fates, Map<Misfortunes.Kind, Integer> misfortunes) {}

    private final Plan plan;
    private final Random random;
    private final List<NodeProcess> nodes = new ArrayList<>();

    private Storm(Plan plan) {
        this.plan = plan;
        this.random = new Random(plan.seed());
    }

    /** Runs a storm. Its folder then has what {@link Judge} reads. */
    static Report run(Plan plan) throws Exception {
        Files.createDirectories(plan.folder());
        Storm storm = new Storm(plan);
        Weather weather = plan.calm() ? Weather.only(Fate.PASSED) : Weather.of(plan.seed());
        try (DynamoDbLocalProcess database = DynamoDbLocalProcess.start();
                DynamoDbAsyncClient client =
                        LocalDynamoDb.clientBuilder(database.endpoint()).build();
                FaultProxy proxy = FaultProxy.start(database.endpoint(), weather, plan.seed())) {
            Tables.create(client);
            Map<Misfortunes.Kind, Integer> misfortunes = storm.blow(proxy);
            storm.acquireAll(client);
            Tables.save(client, plan.folder());
            return new Report(proxy.fates(), misfortunes);
        } finally {
            storm.nodes.forEach(NodeProcess::kill);
        }
    }

    private Map<Misfortunes.Kind, Integer> blow(FaultProxy proxy) throws Exception {
        Optional<WallClocks> clocks = plan.calm() ? Optional.empty() : clocks();
        for (Broken broken : plan.nodes()) {
            nodes.add(node(proxy, broken, clocks));
        }
        for (NodeProcess node : nodes) {
            node.awaitBegin();
        }
        Misfortunes misfortunes = new Misfortunes(nodes, clocks, random);
        long end = System.nanoTime() + plan.duration().toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.sleep(500 + random.nextInt(LONGEST_CALM_MILLIS));
            checkAlive();
            if (!plan.calm()) {
                misfortunes.strike();
            }
        }
        proxy.heal();
        for (NodeProcess node : nodes) {
            node.end();
        }
        for (NodeProcess node : nodes) {
            node.awaitEnd();
        }
        return misfortunes.counts();
    }

    private Optional<WallClocks> clocks() throws IOException {
        Optional<WallClocks> clocks = WallClocks.find(plan.folder());
        if (clocks.isEmpty()) {
            System.out.println("Wall clocks stay right: faketime is not installed");
        } else {
            clocks.get().jump(Duration.ZERO);
        }
        if (!NodeProcess.canStop()) {
            System.out.println("No process is stopped: this system has no SIGSTOP");
        }
        return clocks;
    }

    /** Starts a process. Of three, one has a clock that is ahead, one that is behind, and one that jumps. */
    private NodeProcess node(FaultProxy proxy, Broken broken, Optional<WallClocks> clocks) throws Exception {
        int number = nodes.size();
        boolean jumps = number % 3 == 2;
        Map<String, String> environment = clocks.map(wall -> jumps
                        ? wall.jumping()
                        : wall.off(number % 3 == 0 ? CLOCK_ERROR : CLOCK_ERROR.negated()))
                .orElse(Map.of());
        Link link = new Link(jumps);
        return new NodeProcess(
                "node" + number,
                plan.folder(),
                proxy.open(link),
                link,
                broken,
                environment,
                new Random(random.nextLong()));
    }

    private void checkAlive() {
        for (NodeProcess node : nodes) {
            if (!node.isAlive()) {
                throw new IllegalStateException("A process has ended by itself; see " + plan.folder());
            }
        }
    }

    /** Acquires every key, as a process of its own. */
    private void acquireAll(DynamoDbAsyncClient client) {
        try (History history = History.open(plan.folder(), Scene.LAST);
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Scene.LEASES))
                        .owner(Scene.LAST)
                        .build()) {
            history.add(Event.of("begin").with(Event.FROM, System.nanoTime()));
            for (String key : Scene.allKeys()) {
                long from = System.nanoTime();
                Optional<Lease> lease =
                        leases.tryAcquire(LeaseRequest.of(key).waitFor(PATIENCE));
                lease.ifPresent(granted -> release(granted, from, history));
            }
            history.add(Event.of("end").with(Event.TO, System.nanoTime()));
        }
    }

    private static void release(Lease lease, long from, History history) {
        history.add(about(lease, "granted").between(from, System.nanoTime()));
        history.add(about(lease, "release").with(Event.FROM, System.nanoTime()));
        lease.releaseAsync().toCompletableFuture().join();
        history.add(about(lease, "released").with(Event.TO, System.nanoTime()));
    }

    private static Event about(Lease lease, String kind) {
        return Event.of(kind).keys(lease.keys()).with(Event.TOKEN, lease.fencingToken());
    }
}
