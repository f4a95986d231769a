package io.leasekit.storm;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A thread that takes part in one election after the other, all of the same key. It samples whether its process leads, and
 * resigns now and then. {@link Terms} has the work of the leader.
 */
final class Candidate implements Runnable {

    private static final long PAUSE_MILLIS = 60;
    private static final int ELECTION_MILLIS = 7_000;
    private static final int RESIGNATION_IN = 60;
    private static final long PATIENCE_SECONDS = 300;
    private static final Duration BACKOFF = Duration.ofMillis(200);

    private final StormNode node;
    private final Random random;
    private int elections;

    Candidate(StormNode node, long seed) {
        this.node = node;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        while (!node.isEnding()) {
            try {
                takePart();
                node.pause(random.nextInt(1_000));
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                node.record(Event.of("unexpected").with(Event.OUTCOME, e.toString()));
            }
        }
    }

    private void takePart() throws InterruptedException {
        LeaseRequest request = LeaseRequest.of(Scene.LEADER);
        if (random.nextInt(3) == 0) {
            request = request.holdAtMost(Duration.ofMillis(2_000 + random.nextInt(2_000)));
        }
        node.record(Event.of("attempt").keys(request.keys()).with(Event.FROM, System.nanoTime()));
        Terms terms = new Terms(node, node.name() + ":" + ++elections, request.holdAtMost(), random.nextLong());
        LeaderElection election = node.leases()
                .elect(request, ElectionSettings.defaults().backoff(BACKOFF).threads(terms::thread), terms::lead);
        terms.begin(election);
        watch(election);
        leave(election, terms);
    }

    private void watch(LeaderElection election) throws InterruptedException {
        long end = System.nanoTime()
                + Duration.ofMillis(1_000 + random.nextInt(ELECTION_MILLIS)).toNanos();
        while (System.nanoTime() - end < 0 && !node.isEnding()) {
            node.record(sample(election).with(Event.KEYS, Scene.LEADER));
            if (random.nextInt(RESIGNATION_IN) == 0) {
                election.resign();
            }
            node.pause(PAUSE_MILLIS);
        }
    }

    /** Returns a sample of whether this process leads, without the key. */
    static Event sample(LeaderElection election) {
        long from = System.nanoTime();
        boolean leads = election.isLeader();
        return Event.of("leads").with(Event.LEADS, leads ? 1 : 0).between(from, System.nanoTime());
    }

    private void leave(LeaderElection election, Terms terms) throws InterruptedException {
        if (random.nextBoolean()) {
            election.close();
        }
        try {
            CompletableFuture<Void> left = election.closeAsync().toCompletableFuture();
            left.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            terms.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            node.record(Event.of("unexpected").with(Event.OUTCOME, "Election was not left: " + e));
        }
    }
}
