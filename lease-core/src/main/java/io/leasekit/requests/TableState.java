package io.leasekit.requests;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.internal.Text;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the table answers the requests of one manager. It logs an outage: one WARN when it begins, one a minute while
 * it lasts, and one INFO when it ends. So what fails because of it need not say so again.
 *
 * <p>An outage begins when requests have failed for a second and none has succeeded. A refused condition is an answer,
 * and so is a rejection of one request: it concerns that request. As reads may be answered while writes fail, a read
 * ends an outage of writes only after no write has failed for ten seconds. A table that fails time and again has one
 * WARN a minute. Thread-safe.
 */
@Internal
public final class TableState {

    private static final Logger log = LoggerFactory.getLogger(TableState.class);
    private static final long OUTAGE = SECOND;
    private static final long READS_ONLY = 10 * SECOND;
    private static final long MINUTE = 60 * SECOND;

    private final String table;
    private final EngineTime time;
    private final Supplier<Leases> leases;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private @Nullable Outage outage;
    private @Nullable Throwable lastFailure; // since the last success
    private boolean throttled; // the last failure
    private @Nullable Long lastWarned;
    private long lost;

    /** The numbers of leases that the manager holds, and of acquires that wait. */
    public record Leases(int held, int waiting) {}

    private static final class Outage {
        private final long since;
        private final long lostBefore;
        private boolean reported;
        private @Nullable Long writeFailed;

        private Outage(long since, long lostBefore) {
            this.since = since;
            this.lostBefore = lostBefore;
        }
    }

    public TableState(String table, EngineTime time, Supplier<Leases> leases) {
        this.table = table;
        this.time = time;
        this.leases = leases;
    }

    /** Notes that a lease was lost. */
    public void lostLease() {
        lock.lock();
        try {
            lost++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether an outage was logged that has not ended, so its cause need not be logged again. */
    public boolean isOut() {
        lock.lock();
        try {
            return outage != null && outage.reported;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the last failure if requests fail at present; {@code null} if none does, or if the table throttles them: it is
     * overloaded then.
     */
    public @Nullable Throwable failure() {
        lock.lock();
        try {
            return throttled ? null : lastFailure;
        } finally {
            lock.unlock();
        }
    }

    /** Takes in the outcome of a request. */
    void ended(StoreReply outcome, boolean isWrite) {
        String line;
        boolean over;
        lock.lock();
        try {
            over = !(outcome instanceof StoreReply.Failed);
            line = outcome instanceof StoreReply.Failed failed ? failed(failed, isWrite) : succeeded(isWrite);
        } finally {
            lock.unlock();
        }
        if (line != null) {
            Quietly.run(() -> log(line, over));
        }
    }

    private void log(String line, boolean over) {
        if (over) {
            log.info("{}", line);
        } else {
            Leases now = leases.get();
            log.warn("{}. Leases held: {}, acquires waiting: {}", line, now.held(), now.waiting());
        }
    }

    private @Nullable String failed(StoreReply.Failed failed, boolean isWrite) {
        if (!isOutage(failed.kind())) {
            return null;
        }
        long now = time.nanos();
        throttled = failed.kind() == StoreReply.FailureKind.THROTTLED;
        lastFailure = failed.cause();
        Outage current = outage == null ? new Outage(now, lost) : outage;
        outage = current;
        current.writeFailed = isWrite ? Long.valueOf(now) : current.writeFailed;
        boolean isDue = lastWarned == null || now - lastWarned >= MINUTE;
        if (now - current.since < OUTAGE || !isDue) {
            return null;
        }
        String verb = current.reported ? " still does not answer, for " : " does not answer, for ";
        lastWarned = now;
        current.reported = true;
        return "Table " + table + verb + Text.duration(Duration.ofNanos(now - current.since)) + ": "
                + Text.why(failed.cause()) + ". Leases lost meanwhile: " + (lost - current.lostBefore);
    }

    private static boolean isOutage(StoreReply.FailureKind kind) {
        return kind == StoreReply.FailureKind.UNKNOWN
                || kind == StoreReply.FailureKind.NOT_APPLIED
                || kind == StoreReply.FailureKind.THROTTLED;
    }

    private @Nullable String succeeded(boolean isWrite) {
        Outage ended = outage;
        if (ended == null) {
            return null;
        }
        long now = time.nanos();
        Long writeFailed = ended.writeFailed;
        if (!isWrite && writeFailed != null && now - writeFailed < READS_ONLY) {
            return null;
        }
        outage = null;
        lastFailure = null;
        throttled = false;
        return !ended.reported
                ? null
                : "Table " + table + " answers again after " + Text.duration(Duration.ofNanos(now - ended.since))
                        + ". Leases lost meanwhile: " + (lost - ended.lostBefore);
    }
}
