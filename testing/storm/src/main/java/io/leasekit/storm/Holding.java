package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRunOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The work under one lease: samples of its validity and guarded writes, then the release. The checks of the writes are made
 * at the begin and used as long as the work goes on, even after the lease has ended. Used by one thread.
 */
final class Holding {

    private static final long PAUSE_MILLIS = 40;
    private static final long LATE_WRITE_PATIENCE_SECONDS = 2;

    private final StormNode node;
    private final Lease lease;
    private final Random random;

    Holding(StormNode node, Lease lease, Random random) {
        this.node = node;
        this.lease = lease;
        this.random = random;
    }

    /** Works for this long, or until the lease is lost or the node ends. Then releases. */
    void run(Duration length) throws InterruptedException {
        lease.lost()
                .thenAccept(reason -> record(
                        Event.of("lost").with(Event.OUTCOME, reason.name()).with(Event.TO, System.nanoTime())));
        List<ConditionCheck> checks = checks();
        long end = System.nanoTime() + length.toNanos();
        do {
            sample();
            if (random.nextInt(3) == 0) {
                write(checks);
            }
            node.pause(PAUSE_MILLIS);
        } while (System.nanoTime() - end < 0 && lease.lossReason().isEmpty() && !node.isEnding());
        if (lease.lossReason().isPresent()) {
            write(checks); // as a process does that was paused before its write
        }
        release(checks);
    }

    private List<ConditionCheck> checks() {
        try {
            return lease.conditionChecks();
        } catch (LeaseException e) {
            return List.of(); // lost already
        }
    }

    private void record(Event event) {
        node.record(event.keys(lease.keys()).with(Event.TOKEN, lease.fencingToken()));
    }

    private void sample() {
        long from = System.nanoTime();
        long left = lease.remaining().toNanos();
        record(Event.of("sample").with("left", left).between(from, System.nanoTime()));
    }

    private void write(List<ConditionCheck> checks) throws InterruptedException {
        if (checks.isEmpty()) {
            return;
        }
        String key = lease.keys().get(random.nextInt(lease.keys().size()));
        String id = node.nextId();
        long from = System.nanoTime();
        String outcome = node.referee().write(node.isGuarding() ? checks : List.of(), key, lease.fencingToken(), id);
        node.record(Event.of("write")
                .with(Event.KEY, key)
                .with(Event.TOKEN, lease.fencingToken())
                .with(Event.ID, id)
                .with(Event.OUTCOME, outcome)
                .between(from, System.nanoTime()));
    }

    private void release(List<ConditionCheck> checks) throws InterruptedException {
        Event begin = Event.of("release");
        if (lease.runName().isPresent()) {
            LeaseRunOutcome outcome = random.nextInt(4) == 0 ? LeaseRunOutcome.RETRY : LeaseRunOutcome.SUCCEEDED;
            lease.recordRun(outcome);
            begin.with(Event.OUTCOME, outcome.name());
        }
        record(begin.with(Event.FROM, System.nanoTime()));
        if (random.nextBoolean()) {
            lease.close();
        }
        CompletableFuture<Void> released = lease.releaseAsync()
                .thenRun(() -> record(Event.of("released").with(Event.TO, System.nanoTime())))
                .toCompletableFuture();
        node.await(released);
        sample();
        if (random.nextInt(3) == 0 && isDoneSoon(released)) {
            write(checks);
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
