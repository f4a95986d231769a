package io.leasekit.storm;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.store.LeaseStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * One process of a storm: threads that acquire leases and write under them, and one that wants to lead, until the standard
 * input ends. Arguments: endpoint, folder of the histories, name, seed and {@link Broken}. Thread-safe.
 */
public final class StormNode {

    private static final int CALLERS = 7;

    /** Those that ask for the traced key. Two, so that it is also handed over within the process. */
    private static final int TRACED = 2;

    private static final Duration JOIN = Duration.ofMinutes(5);

    /** Far more than a release takes, also on a loaded machine. */
    private static final Duration OPEN = Duration.ofSeconds(30);

    private final String name;
    private final History history;
    private final Broken broken;
    private final LeaseManager leases;
    private final Referee referee;
    private final TermEvents terms;
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicLong writes = new AtomicLong();
    private final Phaser open = new Phaser(1);

    private StormNode(String name, History history, History trace, Broken broken, DynamoDbAsyncClient client) {
        this.name = name;
        this.history = history;
        this.broken = broken;
        this.referee = new Referee(client);
        this.terms = new TermEvents(history);
        LeaseStore store = DynamoDbLeaseStore.create(client, Scene.LEASES);
        LeaseStore asked = broken == Broken.RENEWALS_UNSENT ? new UnsentRenewals(store) : store;
        this.leases = LeaseManager.builder(new RecordedStore(asked, Scene.TRACED, trace))
                .owner(name)
                .ttl(Scene.TTL)
                .closeTimeout(Duration.ofSeconds(5))
                .listener(terms)
                .build();
    }

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        Random random = new Random(Long.parseLong(args[3]));
        try (DynamoDbAsyncClient client = client(URI.create(args[0]), random.nextBoolean());
                History history = History.open(Path.of(args[1]), args[2]);
                History trace = History.openTrace(Path.of(args[1]), args[2])) {
            new StormNode(args[2], history, trace, Broken.valueOf(args[4]), client).run(random);
        }
        System.exit(0);
    }

    /** Half of the processes have a client with the retries of the SDK, as a user's client may have. */
    private static DynamoDbAsyncClient client(URI endpoint, boolean retries) {
        DynamoDbAsyncClientBuilder client = LocalDynamoDb.clientBuilder(endpoint);
        if (retries) {
            client.overrideConfiguration(
                    c -> c.retryStrategy(r -> r.maxAttempts(3)).apiCallAttemptTimeout(Duration.ofMillis(700)));
        }
        return client.build();
    }

    private void run(Random random) throws InterruptedException {
        record(Event.of("begin").with(Event.FROM, System.nanoTime()));
        endWithStandardInput();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            long seed = random.nextLong();
            Caller caller = i < TRACED ? Caller.ofTraced(this, seed) : new Caller(this, seed);
            threads.add(new Thread(caller, "caller-" + i));
        }
        threads.add(new Thread(new Candidate(this, random.nextLong()), "candidate"));
        threads.forEach(Thread::start);
        end.await(); // the patience counts from the end of the storm, which may last for hours
        for (Thread thread : threads) {
            thread.join(JOIN.toMillis());
        }
        leases.close();
        awaitOpen();
        record(Event.of("end").with(Event.TO, System.nanoTime()));
    }

    private void endWithStandardInput() {
        Thread watch = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // a broken pipe also means the end
                    }
                    end.countDown();
                },
                "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** Waits for releases that have not been recorded yet. */
    private void awaitOpen() throws InterruptedException {
        try {
            open.awaitAdvanceInterruptibly(open.arrive(), OPEN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            record(Event.of("unexpected").with(Event.OUTCOME, "Releases still open: " + open.getUnarrivedParties()));
        }
    }

    boolean isEnding() {
        return end.getCount() == 0;
    }

    /** Waits, or returns early because the process ends. */
    void pause(long millis) throws InterruptedException {
        end.await(millis, TimeUnit.MILLISECONDS);
    }

    LeaseManager leases() {
        return leases;
    }

    Referee referee() {
        return referee;
    }

    boolean isGuarding() {
        return broken != Broken.WRITES_UNGUARDED;
    }

    /** Returns whether each lease is held for several ttls. */
    boolean holdsLong() {
        return broken == Broken.RENEWALS_UNSENT;
    }

    String name() {
        return name;
    }

    /** Completes once the leader's lease with this token was reported as released or lost. */
    CompletableFuture<Void> endOfTerm(long token) {
        return terms.end(token);
    }

    String nextId() {
        return name + ":" + writes.incrementAndGet();
    }

    void record(Event event) {
        history.add(event);
    }

    /** Keeps the process from ending before this stage is done. */
    void await(CompletionStage<Void> stage) {
        open.register();
        stage.whenComplete((result, error) -> open.arriveAndDeregister());
    }
}
