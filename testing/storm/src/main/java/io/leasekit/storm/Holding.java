package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseRunOutcome;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A caller's work under one lease, and its release. Used by one thread. */
final class Holding {

    private static final long PAUSE_MILLIS = 40;
    private static final long LATE_WRITE_PATIENCE_SECONDS = 2;

    private final StormNode node;
    private final Lease lease;
    private final Random random;
    private final LeaseWork work;

    Holding(StormNode node, Lease lease, Random random) {
        this.node = node;
        this.lease = lease;
        this.random = random;
        this.work = new LeaseWork(node, lease, random);
    }

    /** Works for this long, or until the lease is lost or the node ends. Then releases. */
    void run(Duration length) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        do {
            work.sample();
            if (random.nextInt(3) == 0) {
                work.write();
            }
            node.pause(PAUSE_MILLIS);
        } while (System.nanoTime() - end < 0 && lease.lossReason().isEmpty() && !node.isEnding());
        if (lease.lossReason().isPresent()) {
            work.write(); // as a process does that was paused before its write
        }
        release();
    }

    private void release() throws InterruptedException {
        Event begin = Event.of("release");
        if (lease.runName().isPresent()) {
            boolean isDone = random.nextInt(4) > 0;
            LeaseRunOutcome outcome = isDone ? LeaseRunOutcome.SUCCEEDED : LeaseRunOutcome.RETRY;
            lease.recordRun(outcome);
            begin.with(Event.OUTCOME, outcome.name());
        }
        work.record(begin.with(Event.FROM, System.nanoTime()));
        if (random.nextBoolean()) {
            lease.close();
        }
        CompletableFuture<Void> released = lease.releaseAsync()
                .thenRun(() -> work.record(Event.of("released").with(Event.TO, System.nanoTime())))
                .toCompletableFuture();
        node.await(released);
        work.sample();
        if (random.nextInt(3) == 0 && isDoneSoon(released)) {
            work.write();
        }
    }

    private static boolean isDoneSoon(CompletableFuture<Void> released) throws InterruptedException {
        try {
            released.copy()
                    .orTimeout(LATE_WRITE_PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .get();
            return true;
        } catch (ExecutionException e) {
            return !(e.getCause() instanceof TimeoutException);
        }
    }
}
