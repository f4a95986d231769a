package io.leasekit.storm;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The terms of one process in one election, which follow each other. Their work takes samples, writes, and reacts to its stop
 * at once, late, or after the validity has ended. Thread-safe.
 */
final class Terms {

    private static final long PAUSE_MILLIS = 40;

    private final StormNode node;
    private final String election;
    private final @Nullable Duration limit;
    private final Random random; // used by one term at a time
    private final CompletableFuture<LeaderElection> handle = new CompletableFuture<>();
    private final ConcurrentMap<Long, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();
    private volatile long asked = System.nanoTime();
    private volatile long started;

    /** {@code election}: its name, which no other one has. */
    Terms(StormNode node, String election, @Nullable Duration limit, long seed) {
        this.node = node;
        this.election = election;
        this.limit = limit;
        this.random = new Random(seed);
    }

    void begin(LeaderElection known) {
        handle.complete(known);
    }

    /** Returns a thread for the next term. It is asked for after the grant. */
    Thread thread(Runnable work) {
        started = System.nanoTime();
        Thread thread = new Thread(work, "leader");
        thread.setDaemon(true);
        return thread;
    }

    /** Completes once each term is known to have been given back or lost. */
    CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(ends.values().toArray(CompletableFuture[]::new));
    }

    /** The work of one term. */
    void lead(Lease lease) throws Exception {
        ends.put(lease.fencingToken(), node.endOfTerm(lease.fencingToken()));
        LeaseWork work = begun(lease);
        try {
            workUntilTold(work);
            if (random.nextInt(5) == 0) {
                throw new IllegalStateException("drawn");
            }
        } catch (InterruptedException e) {
            work.record(Event.of("told").with(Event.TO, System.nanoTime()));
            linger(work);
        } finally {
            asked = System.nanoTime(); // the next campaign begins after the return
            work.record(Event.of("release").with(Event.FROM, asked));
        }
    }

    private LeaseWork begun(Lease lease) {
        Event granted = LeaseWork.granted(lease)
                .with(Event.ELECTION, election)
                .with(Event.STARTED, started)
                .between(asked, System.nanoTime());
        if (limit != null) {
            granted.with("limit", limit.toNanos());
        }
        node.record(granted);
        return new LeaseWork(node, lease, random);
    }

    private void workUntilTold(LeaseWork work) throws InterruptedException {
        long end = System.nanoTime()
                + Duration.ofMillis(300 + random.nextInt(4_000)).toNanos();
        while (System.nanoTime() - end < 0) {
            step(work);
        }
    }

    /** Goes on after the stop. One term in eight ignores it for longer than its lease is valid without renewals. */
    private void linger(LeaseWork work) throws InterruptedException {
        long millis = random.nextInt(8) == 0 ? Scene.TTL.toMillis() + random.nextInt(1_500) : random.nextInt(400);
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        do {
            step(work);
        } while (System.nanoTime() - end < 0);
    }

    private void step(LeaseWork work) throws InterruptedException {
        work.sample();
        work.record(Candidate.sample(handle.join()));
        if (random.nextInt(3) == 0) {
            work.write();
        }
        Thread.sleep(PAUSE_MILLIS);
    }
}
