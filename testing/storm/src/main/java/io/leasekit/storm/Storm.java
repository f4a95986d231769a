package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.Faketime;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.net.URI;
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
 * it does not repeat their threads. At the end all faults stop and the processes end. Nothing is on its way to the database
 * any more when the last process acquires every key. Then the tables are saved beside the histories.
 */
final class Storm {

    /** For people. The judge does not read it. */
    private static final String REPORT = "storm.txt";

    private static final Duration CLOCK_ERROR = Duration.ofHours(1);
    private static final int LONGEST_CALM_MILLIS = 2_500;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * The settings of a storm.
     *
     * @param nodes the processes
     * @param calm whether nothing happens to requests, processes and clocks
     */
    record Plan(Path folder, Duration duration, long seed, List<Broken> nodes, boolean calm) {}

    /** The events of a storm, counted. */
    record Report(Map<Fate, Integer> fates, Map<Misfortunes.Kind, Integer> misfortunes) {

        /** Returns the number of requests that something happened to. */
        int faults() {
            return fates.entrySet().stream()
                    .filter(fate -> fate.getKey() != Fate.PASSED)
                    .mapToInt(Map.Entry::getValue)
                    .sum();
        }

        @Override
        public String toString() {
            return "%d faults %s, misfortunes %s".formatted(faults(), fates, misfortunes);
        }
    }

    private final Plan plan;
    private final Random random;
    private final List<NodeProcess> nodes = new ArrayList<>();

    private Storm(Plan plan) {
        this.plan = plan;
        this.random = new Random(plan.seed());
    }

    /**
     * Runs a storm. Its folder then has what {@link Judge} reads.
     *
     * @throws IllegalStateException if it is not calm and faketime is not installed, or if a process ends by itself
     */
    static Report run(Plan plan) throws Exception {
        Files.createDirectories(plan.folder());
        Storm storm = new Storm(plan);
        try (DynamoDbLocalProcess database = DynamoDbLocalProcess.start();
                DynamoDbAsyncClient client =
                        LocalDynamoDb.clientBuilder(database.endpoint()).build()) {
            Tables.create(client);
            Report report = storm.blow(database.endpoint());
            storm.acquireAll(client);
            Tables.save(client, plan.folder());
            Files.writeString(
                    plan.folder().resolve(REPORT), "seed %d, %s\n%s\n".formatted(plan.seed(), plan.duration(), report));
            return report;
        } finally {
            storm.nodes.forEach(NodeProcess::kill);
        }
    }

    private Report blow(URI database) throws Exception {
        Weather weather = plan.calm() ? Weather.only(Fate.PASSED) : Weather.of(plan.seed());
        try (FaultProxy proxy = FaultProxy.start(database, weather, plan.seed())) {
            Optional<Misfortunes> misfortunes = plan.calm() ? calmNodes(proxy) : nodesInDanger(proxy);
            for (NodeProcess node : nodes) {
                node.awaitFirstLease();
            }
            long end = System.nanoTime() + plan.duration().toNanos();
            while (System.nanoTime() - end < 0) {
                Thread.sleep(500 + random.nextInt(LONGEST_CALM_MILLIS));
                checkAlive();
                if (misfortunes.isPresent()) {
                    misfortunes.get().strike();
                }
            }
            proxy.heal();
            endNodes();
            return new Report(
                    proxy.fates(), misfortunes.map(Misfortunes::counts).orElse(Map.of()));
        }
    }

    private Optional<Misfortunes> calmNodes(FaultProxy proxy) throws Exception {
        for (Broken node : plan.nodes()) {
            start(proxy, node, false, Map.of());
        }
        return Optional.empty();
    }

    /** Of three processes, one has a clock that is ahead, one has one that is behind, and one has one that jumps. */
    private Optional<Misfortunes> nodesInDanger(FaultProxy proxy) throws Exception {
        Faketime clocks = Faketime.find().orElseThrow(() -> new IllegalStateException("faketime is not installed"));
        Faketime.set(plan.folder(), Duration.ZERO);
        for (Broken node : plan.nodes()) {
            switch (nodes.size() % 3) {
                case 0 -> start(proxy, node, false, clocks.off(CLOCK_ERROR));
                case 1 -> start(proxy, node, false, clocks.off(CLOCK_ERROR.negated()));
                default -> start(proxy, node, true, clocks.setBy(plan.folder()));
            }
        }
        return Optional.of(new Misfortunes(nodes, plan.folder(), random));
    }

    private void start(FaultProxy proxy, Broken node, boolean clockJumps, Map<String, String> environment)
            throws Exception {
        Link link = new Link(clockJumps);
        nodes.add(new NodeProcess(
                "node" + nodes.size(),
                plan.folder(),
                proxy.open(link),
                link,
                node,
                environment,
                new Random(random.nextLong())));
    }

    private void endNodes() throws IOException, InterruptedException {
        for (NodeProcess node : nodes) {
            node.end();
        }
        for (NodeProcess node : nodes) {
            node.awaitEnd();
        }
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
                History trace = History.openTrace(plan.folder(), Scene.LAST);
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Scene.LEASES))
                        .owner(Scene.LAST)
                        .build()) {
            history.add(Event.of("begin").with(Event.FROM, System.nanoTime()));
            trace.add(Event.of("clocks")
                    .with("millis", System.currentTimeMillis())
                    .with(Event.FROM, System.nanoTime()));
            for (String key : Scene.exclusiveKeys()) {
                acquire(LeaseRequest.of(key), leases, history).ifPresent(lease -> release(lease, history));
            }
            List<Lease> permits = new ArrayList<>(); // all at a time, since one caller may get the same slot again
            for (int i = 0; i < Scene.PERMITS; i++) {
                acquire(LeaseRequest.of(Scene.EXPORT).permits(Scene.PERMITS), leases, history)
                        .ifPresent(permits::add);
            }
            permits.forEach(lease -> release(lease, history));
            history.add(Event.of("end").with(Event.TO, System.nanoTime()));
        }
    }

    private static Optional<Lease> acquire(LeaseRequest request, LeaseManager leases, History history) {
        long from = System.nanoTime();
        Optional<Lease> acquired = leases.tryAcquire(request.waitFor(PATIENCE));
        acquired.ifPresent(lease -> history.add(LeaseWork.granted(lease).between(from, System.nanoTime())));
        return acquired;
    }

    private static void release(Lease lease, History history) {
        history.add(about(lease, "release").with(Event.FROM, System.nanoTime()));
        lease.releaseAsync().toCompletableFuture().join();
        history.add(about(lease, "released").with(Event.TO, System.nanoTime()));
    }

    private static Event about(Lease lease, String kind) {
        return Event.of(kind).keys(Scene.items(lease)).with(Event.TOKEN, lease.fencingToken());
    }
}
