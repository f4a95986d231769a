package io.leasekit.engine;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * A separate process that runs the commands on its standard input, one per line. It answers each with one line that
 * begins with {@value #ANSWER}. The commands are {@code try <key>}, {@code wait <key>}, {@code look <key>},
 * {@code contend <key> <journal> <seconds>}, {@code crowd <key> <journal> <seconds> <threads>}, {@code lead <key>} and
 * {@code campaign <key>}. {@code lead} takes part in an election until SIGTERM, with the output of
 * {@link RefereedLeader} as further answers.
 */
final class LeaseProcess {

    static final String ANSWER = "answer: ";

    /** Sections of a process that contends, however slow the machine is. */
    static final int LEAST_SECTIONS = 3;

    private static final Duration MOST_TIME = Duration.ofMinutes(5);
    private static final Duration BODY = Duration.ofMillis(100);
    private static final Duration SHORT_BODY = Duration.ofMillis(20);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final LeaseManager leases;
    private final Map<String, Lease> held = new HashMap<>();

    private LeaseProcess(DynamoDbAsyncClient client, String table, LeaseManager leases) {
        this.client = client;
        this.table = table;
        this.leases = leases;
    }

    /** Takes the endpoint of the store, the table, the owner and the ttl. */
    public static void main(String[] args) throws Exception {
        DynamoDbAsyncClient client =
                LocalDynamoDb.clientBuilder(URI.create(args[0])).build();
        LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, args[1]))
                .owner(args[2])
                .ttl(Duration.parse(args[3]))
                .storeTimeout(Duration.ofMinutes(1)) // a busy machine may answer the first requests too late
                .closeTimeout(Duration.ZERO)
                .build();
        new LeaseProcess(client, args[1], leases).serve();
        leases.close();
        client.close();
    }

    private void serve() throws Exception {
        client.describeTable(request -> request.tableName(table)).join(); // the first request takes seconds
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        answer("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            answer(obey(line.split(" ")));
        }
    }

    private static void answer(String text) {
        System.out.println(ANSWER + text);
    }

    private String obey(String[] command) throws Exception {
        try {
            return switch (command[0]) {
                case "try" -> acquire(LeaseRequest.of(command[1]));
                case "wait" -> acquire(LeaseRequest.of(command[1]).waitFor(Duration.ofMinutes(1)));
                case "look" -> held.get(command[1]).isValid() ? "valid" : "not valid";
                case "contend" ->
                    contend(command[1], Path.of(command[2]), Duration.ofSeconds(Long.parseLong(command[3])));
                case "crowd" ->
                    crowd(
                            command[1],
                            Path.of(command[2]),
                            Duration.ofSeconds(Long.parseLong(command[3])),
                            Integer.parseInt(command[4]));
                case "lead" -> lead(command[1]);
                case "campaign" -> awaitCampaign(command[1]);
                default -> "unknown command";
            };
        } catch (LeaseException e) {
            return e.toString();
        }
    }

    private String lead(String key) {
        LeaderElection election = leases.elect(
                LeaseRequest.of(key),
                ElectionSettings.defaults().backoff(PAUSE),
                new RefereedLeader(client, table, LeaseProcess::answer));
        Runtime.getRuntime().addShutdownHook(new Thread(election::close));
        return "campaigning";
    }

    /** Answers once a campaign of this process has found another leader. */
    private String awaitCampaign(String key) throws InterruptedException {
        while (leases.waiting().stream().noneMatch(wait -> wait.key().equals(key))) {
            Thread.sleep(SHORT_BODY.toMillis());
        }
        return "waits";
    }

    private String acquire(LeaseRequest request) {
        Optional<Lease> lease = leases.tryAcquire(request);
        lease.ifPresent(acquired -> held.put(request.key(), acquired));
        return lease.isPresent() ? "acquired" : "unavailable";
    }

    /**
     * Acquires and releases repeatedly for this time, and longer if there are too few sections. Each is recorded in the
     * journal. Returns their number.
     */
    private String contend(String key, Path journal, Duration time) throws Exception {
        long begun = System.nanoTime();
        int times = 0;
        while (System.nanoTime() - begun < (times < LEAST_SECTIONS ? MOST_TIME : time).toNanos()) {
            try (Lease lease = leases.acquire(LeaseRequest.of(key).waitFor(Duration.ofSeconds(20)))) {
                times++;
                enterAndLeave(lease, journal);
            } catch (LeaseUnavailableException | LeaseStoreException e) {
                System.out.println(e); // an overloaded machine is not under test
            }
            Thread.sleep(PAUSE.toMillis());
        }
        return String.valueOf(times);
    }

    /** Acquires and releases repeatedly on this many threads; returns the milliseconds of each wait. */
    private String crowd(String key, Path journal, Duration time, int threads) throws Exception {
        List<Long> waits = Collections.synchronizedList(new ArrayList<>());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Future<?>> bodies = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            bodies.add(executor.submit(() -> queueAgainAndAgain(key, journal, time, waits)));
        }
        for (Future<?> body : bodies) {
            body.get();
        }
        executor.shutdown();
        return waits.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private Void queueAgainAndAgain(String key, Path journal, Duration time, List<Long> waits) throws Exception {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < time.toNanos()) {
            long called = System.nanoTime();
            try (Lease lease = leases.acquire(LeaseRequest.of(key).waitFor(Duration.ofMinutes(1)))) {
                waits.add(Duration.ofNanos(System.nanoTime() - called).toMillis());
                write(journal, "enter " + lease.fencingToken());
                Thread.sleep(SHORT_BODY.toMillis());
                write(journal, "leave " + lease.fencingToken());
            }
        }
        return null;
    }

    private static void enterAndLeave(Lease lease, Path journal) throws Exception {
        write(journal, "enter " + lease.fencingToken());
        Thread.sleep(BODY.toMillis());
        lease.ensureValid();
        write(journal, "leave " + lease.fencingToken());
    }

    private static void write(Path journal, String line) throws IOException {
        Files.writeString(journal, line + "\n", StandardOpenOption.APPEND);
    }
}
