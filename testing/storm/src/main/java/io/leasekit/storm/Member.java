package io.leasekit.storm;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.previous.PreviousVersion;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * A process that executes the commands in its standard input, one per line, until the input ends. It runs with the core
 * of its class path, so it uses only what both versions have. Arguments: endpoint and owner. Each line is a number, a
 * verb and its arguments, separated by spaces. Each command has a thread, and its answer is a line with {@link #ANSWER}
 * and the number.
 */
public final class Member {

    static final String ANSWER = "answer";

    /** Longer than that of a storm, so a lease is kept by heartbeats also on a busy machine. */
    static final Duration TTL = Duration.ofSeconds(8);

    private static final long PATIENCE_SECONDS = 600;

    private final LeaseManager leases;
    private final Map<String, Lease> held = new ConcurrentHashMap<>();
    private final Map<String, LeaderElection> elections = new ConcurrentHashMap<>();

    private Member(LeaseManager leases) {
        this.leases = leases;
    }

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        try (DynamoDbAsyncClient client =
                        LocalDynamoDb.clientBuilder(URI.create(args[0])).build();
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Scene.LEASES))
                        .owner(args[1])
                        .ttl(TTL)
                        .closeTimeout(Duration.ZERO)
                        .storeTimeout(
                                Duration.ofSeconds(PATIENCE_SECONDS)) // first requests take seconds on a busy machine
                        .build()) {
            Member member = new Member(leases);
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (line != null) {
                List<String> words = List.of(line.split(" "));
                Thread thread = new Thread(() -> System.out.println(
                        String.join(" ", ANSWER, words.get(0), member.answer(words.subList(1, words.size())))));
                thread.setDaemon(true);
                thread.start();
                line = lines.readLine();
            }
        }
        System.exit(0);
    }

    private String answer(List<String> words) {
        try {
            return command(words.get(0), words.subList(1, words.size()));
        } catch (LeaseUnavailableException e) {
            return "unavailable";
        } catch (LeaseAlreadyRanException e) {
            return "already ran";
        } catch (Exception e) {
            return "failed: " + e;
        }
    }

    private String command(String verb, List<String> words) throws Exception {
        String key = words.get(0);
        return switch (verb) {
            case "core" -> String.valueOf(PreviousVersion.core().getFileName());
            case "acquire" -> granted(LeaseRequest.ofAll(key.split(",")).waitFor(millis(words.get(1))));
            case "hold" -> granted(LeaseRequest.of(key).holdAtLeast(millis(words.get(1))));
            case "once" -> granted(LeaseRequest.of(key).once(words.get(1)));
            case "grow" -> granted(LeaseRequest.of(key).once(words.get(1), OnceOrder.GROWING));
            case "done" -> done(lease(key));
            case "release" -> release(lease(key));
            case "lost" -> lost(lease(key));
            case "force" ->
                leases.forceRelease(key, Long.parseLong(words.get(1))).isDone() ? "done" : "not held";
            case "list" -> list(key);
            case "lead" -> lead(key);
            case "leave" -> leave(key);
            default -> throw new IllegalArgumentException("Unknown verb " + verb);
        };
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    private Lease lease(String key) {
        return Objects.requireNonNull(held.get(key), key);
    }

    private String granted(LeaseRequest request) {
        Lease lease = leases.acquire(request);
        lease.keys().forEach(key -> held.put(key, lease));
        return "granted " + lease.fencingToken();
    }

    private static String done(Lease lease) {
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        return release(lease);
    }

    private static String release(Lease lease) {
        lease.releaseAsync().toCompletableFuture().join();
        return "released";
    }

    private static String lost(Lease lease) throws Exception {
        return lease.lost()
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .name();
    }

    private String list(String prefix) throws InterruptedException {
        return read(LeaseQuery.startingWith(prefix)).leases().stream()
                .filter(lease -> lease.held())
                .map(lease -> lease.key() + " " + lease.owner() + " " + lease.fencingToken())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** Reads again if a busy machine does not answer in time: managers send a read once. */
    private LeasePage read(LeaseQuery query) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return leases.list(query);
            } catch (LeaseStoreException e) {
                if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    /** Answers when this process leads. It leads until it leaves. */
    private String lead(String key) {
        CompletableFuture<Long> leads = new CompletableFuture<>();
        elections.put(key, leases.elect(LeaseRequest.of(key), lease -> {
            leads.complete(lease.fencingToken());
            Thread.sleep(Long.MAX_VALUE); // until it is told to stop
        }));
        return "leads " + leads.join();
    }

    private String leave(String key) {
        Objects.requireNonNull(elections.get(key), key).close();
        return "left";
    }
}
