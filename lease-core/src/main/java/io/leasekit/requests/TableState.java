package io.leasekit.requests;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.store.StoreReply;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether requests of one manager to the table succeed. It logs an outage: one WARN when it begins, one a minute while it
 * lasts, and one INFO when it ends. So what fails because of it need not say so again.
 *
 * <p>An outage begins when requests for at least two keys have failed for three seconds and none has succeeded: failures of one
 * key may concern its item only. A refused condition is a success, and a rejection concerns one request, so it begins no
 * outage. As reads may be answered while writes fail, an outage in which a write has failed ends with a write. The end is
 * logged by the next request that succeeds. A table that fails time and again has one WARN a minute. Thread-safe.
 */
@Internal
public final class TableState {

    private static final Logger log = LoggerFactory.getLogger(TableState.class);
    private static final long OUTAGE = 3 * SECOND; // longer than it takes to try the leases of a failed batch alone
    private static final long FORGOTTEN = 10 * SECOND; // failures further apart are not one outage
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
    private long failedCalls;

    /** The numbers of leases that the manager holds, and of acquires that wait. */
    public record Leases(int held, int waiting) {}

    private static final class Outage {
        private final long since;
        private final long lostBefore;
        private final long failedCallsBefore;
        private final String firstKey;
        private boolean ofSeveralKeys;
        private boolean reported;
        private boolean ofWrites; // as last reported
        private boolean writeFailed;
        private boolean readAnswered; // while writes fail
        private long last; // failure

        private Outage(long since, long lostBefore, long failedCallsBefore, String firstKey) {
            this.since = since;
            this.lostBefore = lostBefore;
            this.failedCallsBefore = failedCallsBefore;
            this.firstKey = firstKey;
            this.last = since;
        }

        private String end(String table, long now, String meanwhile) {
            String what = ofWrites ? "Writes to table " : "Requests to table ";
            return what + table + " succeed again after " + Text.duration(Duration.ofNanos(now - since)) + meanwhile;
        }
    }

    /** Creates the state of a table whose requests succeed. */
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

    /** Notes that a call was skipped, or has failed, because it got no lease. */
    public void failedCall() {
        lock.lock();
        try {
            failedCalls++;
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

    /** Returns the last failure if requests fail at present; {@code null} if none does. */
    public @Nullable Throwable failure() {
        lock.lock();
        try {
            return lastFailure;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the last failure is that the table throttles requests. */
    public boolean isThrottled() {
        lock.lock();
        try {
            return throttled;
        } finally {
            lock.unlock();
        }
    }

    /** Takes in the outcome of a request for this key. */
    void ended(StoreReply outcome, boolean isWrite, String key) {
        String line;
        boolean over = !(outcome instanceof StoreReply.Failed);
        lock.lock();
        try {
            line = outcome instanceof StoreReply.Failed failed ? failed(failed, isWrite, key) : succeeded(isWrite);
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

    private @Nullable String failed(StoreReply.Failed failed, boolean isWrite, String key) {
        if (!isOutage(failed.kind())) {
            return null;
        }
        long now = time.nanos();
        throttled = failed.kind() == StoreReply.FailureKind.THROTTLED;
        lastFailure = failed.cause();
        Outage current = outage;
        if (current == null || (!current.reported && now - current.last >= FORGOTTEN)) {
            current = new Outage(now, lost, failedCalls, key);
            outage = current;
        }
        current.last = now;
        current.ofSeveralKeys |= !key.equals(current.firstKey);
        current.writeFailed |= isWrite;
        boolean isDue = lastWarned == null || now - lastWarned >= MINUTE;
        return isDue && current.ofSeveralKeys && now - current.since >= OUTAGE
                ? report(current, now, failed.cause())
                : null;
    }

    private String report(Outage current, long now, Throwable cause) {
        lastWarned = now;
        current.reported = true;
        current.ofWrites = current.readAnswered;
        return (current.ofWrites ? "No write to table " : "No request to table ") + table + " has succeeded for "
                + Text.duration(Duration.ofNanos(now - current.since))
                + (current.ofWrites ? ", but reads are answered: " : ": ") + Text.why(cause)
                + meanwhile(current);
    }

    private String meanwhile(Outage current) {
        long calls = failedCalls - current.failedCallsBefore;
        return ". Leases lost meanwhile: " + (lost - current.lostBefore)
                + (calls == 0 ? "" : ". Calls without their lease meanwhile: " + calls);
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
        if (!isWrite && ended.writeFailed) {
            ended.readAnswered = true;
            return null;
        }
        outage = null;
        lastFailure = null;
        throttled = false;
        return ended.reported ? ended.end(table, time.nanos(), meanwhile(ended)) : null;
    }
}
