package io.leasekit.leader;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.RunStoppedException;
import io.leasekit.internal.EngineLease;
import io.leasekit.internal.Quietly;
import io.leasekit.log.LineLimit;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One term of leadership, from the grant of the lease to the return of the work. The start of the term is logged before
 * the last check that the lease is still valid, because a logger can block. Thread-safe.
 */
final class Term {

    private static final String HELD =
            "Its lease is released only when it returns; if the lease is lost before, another process may lead too";
    private static final String LOST = "Its lease is lost, so another process may lead too";

    private static final Logger log = LoggerFactory.getLogger(Term.class);

    /** The longest time between two checks of the lease, in nanoseconds. Only a check notices a clock jump. */
    private static final long LOOK = TimeUnit.SECONDS.toNanos(1);

    private final Lease lease;
    private final EngineTime time;
    private final Duration stopTimeout;
    private final LineLimit lines;
    private final LeaderElection.Work work;
    private final Consumer<End> onReturned;
    private final long begun;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread; // the thread that runs the work; guarded by lock
    private volatile boolean announced;
    private volatile boolean entered; // whether the work may run; written under lock
    private volatile boolean failed; // whether the work failed before it got the signal to stop
    private volatile boolean told; // whether the work was told to stop; written under lock
    private volatile boolean over; // whether the work has ended; written under lock
    private volatile long toldAt; // stop() sets this time before 'told', because readers check 'told' first

    /** {@code inOrder}: whether the lease was valid, and the work was told to stop or ran without an error. */
    record End(Duration length, boolean inOrder) {}

    /** {@code onReturned} is called once: on the thread of the work, or in {@link #begin} if no thread starts. */
    Term(
            Lease lease,
            EngineTime time,
            Duration stopTimeout,
            LineLimit lines,
            LeaderElection.Work work,
            Consumer<End> onReturned) {
        this.lease = lease;
        this.time = time;
        this.stopTimeout = stopTimeout;
        this.lines = lines;
        this.work = work;
        this.onReturned = onReturned;
        this.begun = time.nanos();
    }

    void begin(ThreadFactory threads) {
        var unused = lease.lost().thenAccept(this::stopAfterLoss);
        look();
        try {
            threads.newThread(this::run).start();
        } catch (Throwable e) {
            end();
            lines.warn(() -> log.warn(
                    "No thread could be started for the leader of {}, so its term ends: {}", name(), Text.why(e)));
            Quietly.run(() -> log.debug("No thread could be started for the leader of {}", name(), e));
        }
    }

    private void run() {
        try {
            if (mayGoOn()) {
                announced = true;
                inform(() -> log.info("Leader of {} begins (token {})", name(), lease.fencingToken()));
                if (enter()) { // nothing may run between this check and the work
                    work.lead(lease);
                }
            }
        } catch (Throwable failure) {
            report(failure);
        } finally {
            end();
        }
    }

    /** After this method has returned {@code true}, stopping the term interrupts the calling thread. */
    private boolean enter() {
        boolean inTime = isInTime();
        lock.lock();
        try {
            if (told || !inTime) {
                return false;
            }
            thread = Thread.currentThread();
            entered = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            over = true;
            if (told && thread != null) {
                // The work has ended, so the interrupt by stop() must not reach the calls below.
                Thread.interrupted();
            }
            thread = null;
        } finally {
            lock.unlock();
        }
        Duration length = Duration.ofNanos(time.nanos() - begun);
        boolean done = told || (entered && !failed);
        onReturned.accept(new End(length, done && lease.isValid()));
        inform(() -> log.info(
                "Leader of {} (token {}) has ended after {}", name(), lease.fencingToken(), Text.duration(length)));
    }

    private void inform(Runnable line) {
        if (announced) {
            lines.informLimitedIfOut(line);
        }
    }

    private void report(Throwable failure) {
        boolean asked = told || (failure instanceof RunStoppedException && lease.stopRequested());
        failed = !asked;
        boolean ofLoss = failure instanceof LeaseException && lease.lossReason().isPresent(); // logged already
        if (asked || ofLoss) {
            Quietly.run(() -> log.debug("Leader of {} failed after it was told to stop", name(), failure));
        } else {
            Quietly.run(() -> log.warn("Leader of {} failed", name(), failure));
        }
    }

    /** Signals the work to stop when the lease's remaining time is at most the stop timeout (protocol 4.1). */
    private void look() {
        if (told || over) {
            return;
        }
        Duration remaining = lease.remaining();
        long left = remaining.minus(stopTimeout).toNanos();
        if (left > 0) {
            time.schedule(Math.min(left, LOOK), this::look);
        } else {
            lease.lossReason()
                    .ifPresentOrElse(
                            this::stopAfterLoss,
                            () -> stop(
                                    remaining.isZero()
                                            ? "its lease is not known to be held"
                                            : "its lease is valid for only " + Text.duration(remaining)));
        }
    }

    private void stopAfterLoss(LeaseLossReason reason) {
        stop("its lease was lost: " + reason);
    }

    void stop(String reason) {
        lock.lock();
        try {
            if (told || over) {
                return;
            }
            toldAt = time.nanos();
            told = true;
            if (lease instanceof EngineLease known) {
                known.requestStop(); // requestStop() runs no user code, so this thread may hold the lock
            }
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
        time.schedule(stopTimeout.toNanos(), this::complain);
        inform(() -> log.info("Leader of {} (token {}) must stop: {}", name(), lease.fencingToken(), reason));
    }

    private void complain() {
        long left = stopTimeout.toNanos() - (time.nanos() - toldAt);
        if (!over && left > 0) {
            // The close of the manager may have run this timer early.
            time.schedule(Math.min(left, LOOK), this::complain);
        } else if (!over && entered) {
            Quietly.run(() -> log.warn(
                    "Leader of {} (token {}) is still running {} after it was told to stop. {}",
                    name(),
                    lease.fencingToken(),
                    Text.exact(stopTimeout),
                    lease.lossReason().isPresent() ? LOST : HELD));
        }
    }

    CompletionStage<Void> release() {
        return lease.releaseAsync();
    }

    boolean mayGoOn() {
        return !told && !over && isInTime();
    }

    private boolean isInTime() {
        return lease.remaining().compareTo(stopTimeout) > 0;
    }

    Optional<Duration> stoppingFor() {
        return told && !over ? Optional.of(Duration.ofNanos(time.nanos() - toldAt)) : Optional.empty();
    }

    LeaseInfo info() {
        return new LeaseInfo(lease.key(), true, lease.owner(), lease.fencingToken(), lease.acquiredAt(), null, null);
    }

    private String name() {
        return Text.quote(lease.key());
    }
}
