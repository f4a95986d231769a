package io.leasekit.requests;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.store.StoreReply;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether the requests of one manager succeed, and logs outages of the table.
 *
 * <p>An outage begins when requests for at least two keys have failed for three seconds and no request has succeeded.
 * Failures for only one key are no outage, because the cause may be its item. A rejection counts as a failure, because
 * missing permissions or a deleted table cause rejections. Thread-safe.
 */
@Internal
public final class TableState {

    private static final Logger log = LoggerFactory.getLogger(TableState.class);
    // An outage must last longer than the single retries of the writes of a failed batch.
    private static final long OUTAGE = 3 * SECOND;
    // Until an outage is logged, a failure after so long a pause begins a new outage.
    private static final long FORGOTTEN = 10 * SECOND;
    private static final long MINUTE = 60 * SECOND;
    private static final int MOST_NAMES = 100;
    private static final int MOST_SHOWN = 10;

    private final String table;
    private final EngineTime time;
    private final Supplier<Leases> leases;
    private final BriefLock lock = new BriefLock(); // guards the fields below
    private @Nullable Outage outage;
    private @Nullable Throwable lastFailure;
    private boolean throttled;
    private long lost;

    /** The number of leases that the manager holds, and the number of its acquires that wait for a lease. */
    public record Leases(int held, int waiting) {}

    private static final class Outage {
        private final long since;
        private final long lostBefore;
        private final String firstKey;
        private final Map<String, Integer> failedCalls = new HashMap<>();
        private int unnamedCalls;
        private boolean ofSeveralKeys;
        private boolean reported;
        private boolean writeFailed;
        private long last; // time of the last failure
        private long warned; // time of the last report

        private Outage(long since, long lostBefore, String firstKey) {
            this.since = since;
            this.lostBefore = lostBefore;
            this.firstKey = firstKey;
            this.last = since;
        }

        private void failedCall(String name) {
            if (failedCalls.size() < MOST_NAMES || failedCalls.containsKey(name)) {
                failedCalls.merge(name, 1, Integer::sum);
            } else {
                unnamedCalls++;
            }
        }

        private String textOfCalls() {
            int all = unnamedCalls
                    + failedCalls.values().stream().mapToInt(Integer::intValue).sum();
            if (all == 0) {
                return "";
            }
            List<Map.Entry<String, Integer>> most = failedCalls.entrySet().stream()
                    .sorted(Map.Entry.<String, Integer>comparingByValue()
                            .reversed()
                            .thenComparing(Map.Entry.comparingByKey()))
                    .limit(MOST_SHOWN)
                    .toList();
            int rest = all - most.stream().mapToInt(Map.Entry::getValue).sum();
            return ". Calls without their lease meanwhile: " + all
                    + most.stream()
                            .map(calls -> Text.quote(calls.getKey()) + " " + calls.getValue())
                            .collect(Collectors.joining(", ", " (", rest == 0 ? ")" : ", others " + rest + ")"));
        }

        private boolean isLongEnough() {
            return ofSeveralKeys && last - since >= OUTAGE;
        }

        private String lasted(long now) {
            return Text.duration(Duration.ofNanos(now - since));
        }
    }

    public TableState(String table, EngineTime time, Supplier<Leases> leases) {
        this.table = table;
        this.time = time;
        this.leases = leases;
    }

    public void lostLease() {
        lock.run(() -> lost++);
    }

    /** Records a method call that was skipped or failed because it got no lease. */
    public void failedCall(String name) {
        lock.run(() -> {
            if (outage != null) {
                outage.failedCall(name);
            }
        });
    }

    /** Returns whether a logged outage is in progress. */
    public boolean isOut() {
        return lock.get(() -> outage != null && outage.reported);
    }

    /** Returns the last error since a success, without rejections; {@code null} if there is none. */
    public @Nullable Throwable failure() {
        return lock.get(() -> lastFailure);
    }

    public boolean isThrottled() {
        return lock.get(() -> throttled);
    }

    void ended(StoreReply outcome, boolean isWrite, String key) {
        boolean over = !(outcome instanceof StoreReply.Failed);
        String line = lock.get(
                () -> outcome instanceof StoreReply.Failed failed ? failed(failed, isWrite, key) : succeeded(isWrite));
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
        // The table may reject one request and still answer all others, so a rejection is no failure of the table.
        if (failed.kind() != StoreReply.FailureKind.REJECTED) {
            throttled = failed.kind() == StoreReply.FailureKind.THROTTLED;
            lastFailure = failed.cause();
        }
        Outage current = outage;
        if (current == null || (!current.reported && now - current.last >= FORGOTTEN)) {
            current = new Outage(now, lost, key);
            outage = current;
        }
        current.last = now;
        current.ofSeveralKeys |= !key.equals(current.firstKey);
        current.writeFailed |= isWrite;
        boolean isDue = current.isLongEnough() && (!current.reported || now - current.warned >= MINUTE);
        return isDue ? report(current, now, failed.cause()) : null;
    }

    private String report(Outage current, long now, Throwable cause) {
        current.warned = now;
        current.reported = true;
        return "Requests to table " + table + " have failed for " + current.lasted(now) + ": " + Text.why(cause)
                + meanwhile(current);
    }

    private String meanwhile(Outage current) {
        return ". Leases lost meanwhile: " + (lost - current.lostBefore) + current.textOfCalls();
    }

    private static boolean isOutage(StoreReply.FailureKind kind) {
        return kind != StoreReply.FailureKind.CONFLICT && kind != StoreReply.FailureKind.BATCH_REJECTED;
    }

    private @Nullable String succeeded(boolean isWrite) {
        Outage ended = outage;
        if (ended == null || (!isWrite && ended.writeFailed)) {
            return null;
        }
        outage = null;
        lastFailure = null;
        throttled = false;
        return ended.reported
                ? "Requests to table " + table + " succeed again after " + ended.lasted(time.nanos()) + meanwhile(ended)
                : null;
    }
}
