package io.leasekit.requests;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.internal.Checks;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.internal.Text;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether requests of one manager to the table succeed. It logs an outage: one WARN when it begins, one a minute while it
 * lasts, and one INFO when it ends. So what fails because of it need not say so again.
 *
 * <p>An outage begins when requests have failed for a second, none has succeeded, and a probe fails, too: failures may
 * concern one item or one batch only. A refused condition is a success, and a rejection concerns one request, so it
 * begins no outage. As reads may be answered while writes fail, an outage in which a write has failed ends with a write.
 * While nothing else is sent during an outage, a probe is, every five seconds. A table that fails time and again has one
 * WARN a minute. Thread-safe.
 */
@Internal
public final class TableState {

    private static final Logger log = LoggerFactory.getLogger(TableState.class);
    private static final long OUTAGE = SECOND;
    private static final long PROBE = 5 * SECOND;
    private static final long FORGOTTEN = 10 * SECOND; // failures further apart are not one outage
    private static final long MINUTE = 60 * SECOND;

    private final String table;
    private final EngineTime time;
    private final Supplier<Leases> leases;
    private final Consumer<Boolean> probe;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private @Nullable Outage outage;
    private @Nullable Throwable lastFailure; // since the last success
    private boolean throttled; // the last failure
    private @Nullable Long lastProbed;
    private @Nullable Long lastWarned;
    private @Nullable Runnable next; // to be run without the lock
    private long lost;

    /** The numbers of leases that the manager holds, and of acquires that wait. */
    public record Leases(int held, int waiting) {}

    private static final class Outage {
        private final long since;
        private final long lostBefore;
        private boolean confirmed; // a probe has failed
        private boolean reported;
        private boolean ofWrites; // as last reported
        private boolean writeFailed;
        private boolean readAnswered; // while writes fail
        private long last; // failure

        private Outage(long since, long lostBefore) {
            this.since = since;
            this.lostBefore = lostBefore;
            this.last = since;
        }

        private String end(String table, long now, long lost) {
            String what = ofWrites ? "Writes to table " : "Requests to table ";
            return what + table + " succeed again after " + Text.duration(Duration.ofNanos(now - since))
                    + ". Leases lost meanwhile: " + (lost - lostBefore);
        }
    }

    /**
     * Creates the state of a table whose requests succeed.
     *
     * @param probe sends a read of {@link Checks#TIME_KEY}, and if it is answered and the argument is {@code true}, a write
     *     of this key that is refused
     */
    public TableState(String table, EngineTime time, Supplier<Leases> leases, Consumer<Boolean> probe) {
        this.table = table;
        this.time = time;
        this.leases = leases;
        this.probe = probe;
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
        Runnable then;
        boolean over = !(outcome instanceof StoreReply.Failed);
        lock.lock();
        try {
            line = outcome instanceof StoreReply.Failed failed
                    ? failed(failed, isWrite, key.equals(Checks.TIME_KEY))
                    : succeeded(isWrite);
            then = next;
            next = null;
        } finally {
            lock.unlock();
        }
        if (line != null) {
            Quietly.run(() -> log(line, over));
        }
        if (then != null) {
            Quietly.run(then);
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

    private @Nullable String failed(StoreReply.Failed failed, boolean isWrite, boolean isProbe) {
        if (!isOutage(failed.kind())) {
            return null;
        }
        long now = time.nanos();
        throttled = failed.kind() == StoreReply.FailureKind.THROTTLED;
        lastFailure = failed.cause();
        Outage current = outage;
        if (current == null || (!current.reported && now - current.last >= FORGOTTEN)) {
            current = new Outage(now, lost);
            outage = current;
        }
        current.last = now;
        current.confirmed |= isProbe;
        current.writeFailed |= isWrite;
        if (now - current.since < OUTAGE || (lastWarned != null && now - lastWarned < MINUTE)) {
            return null;
        }
        if (current.confirmed) {
            return report(current, now, failed.cause());
        }
        if (lastProbed == null || now - lastProbed >= PROBE) {
            lastProbed = now;
            boolean write = current.writeFailed;
            next = () -> probe.accept(write);
        }
        return null;
    }

    private String report(Outage current, long now, Throwable cause) {
        lastWarned = now;
        next = current.reported ? null : () -> probeLater(current);
        current.reported = true;
        current.ofWrites = current.readAnswered;
        return (current.ofWrites ? "No write to table " : "No request to table ") + table + " has succeeded for "
                + Text.duration(Duration.ofNanos(now - current.since))
                + (current.ofWrites ? ", but reads are answered: " : ": ") + Text.why(cause)
                + ". Leases lost meanwhile: " + (lost - current.lostBefore);
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
        return ended.reported ? ended.end(table, time.nanos(), lost) : null;
    }

    // ---- the end of an outage is seen although nothing is sent

    private void probeLater(Outage current) {
        long due = time.nanos() + PROBE;
        time.schedule(PROBE, () -> probe(current, due));
    }

    private void probe(Outage current, long due) {
        boolean isQuiet;
        boolean write;
        lock.lock();
        try {
            long now = time.nanos();
            if (outage != current || now - due < 0) {
                return; // it has ended, or the close of the manager runs timers early
            }
            isQuiet = now - current.last >= PROBE;
            write = current.writeFailed;
        } finally {
            lock.unlock();
        }
        if (isQuiet) {
            Quietly.run(() -> probe.accept(write));
        }
        probeLater(current);
    }
}
