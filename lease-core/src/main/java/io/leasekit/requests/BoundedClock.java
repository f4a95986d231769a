package io.leasekit.requests;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An interval that certainly contains DynamoDB's time, as far as this process knows (protocol 4.2).
 *
 * <p>The date in a reply is a lower bound of DynamoDB's time at the receipt of the reply. The date, rounded up to the
 * next second, is an upper bound of DynamoDB's time at the sending of the request. The interval is the intersection of
 * the intervals from the replies of the last minute. After a jump of the wall clock, all replies are dropped, because
 * the monotonic clock may have stopped while the machine was suspended. The intersection of intervals follows K.
 * Marzullo, "Maintaining the Time in a Distributed System" (1984). Decisions by the ends of an interval follow Google's
 * TrueTime (Corbett et al., 2012).
 *
 * <p>Thread-safe.
 */
@Internal
public final class BoundedClock {

    /**
     * The maximum error of the date in a reply, in nanoseconds (protocol 4.2). The error comes from rounding, cached
     * dates and different clocks of servers.
     */
    static final long EPSILON = SECOND;

    private static final Logger log = LoggerFactory.getLogger(BoundedClock.class);
    private static final long WINDOW = 60 * SECOND;
    private static final long STALE_AFTER = 600 * SECOND;
    // This second is in the year 2116, so that sums of nanoseconds do not overflow.
    private static final long LAST_SECOND = Long.MAX_VALUE / SECOND / 2;
    private static final long TOO_SLOW = 5 * SECOND;
    private static final long CLOSE_TOGETHER = 20 * MILLI;
    private static final int MAX_LOOKS = 5;
    // Both clocks are truncated to milliseconds, so their difference may vary by this much.
    private static final long UNCHANGED_MILLIS = 1;
    private static final long FAR_OFF_MILLIS = 300_000;

    /** The two decisions about clocks on which the safety of leases depends. */
    interface Rules {
        /** {@code millis}: the change of the wall clock relative to the monotonic clock since the last check. */
        boolean isJump(long millis);

        /**
         * Returns the interval to use as DynamoDB's time: the intersection, or the hull if the replies disagree.
         *
         * @param intersection the common part of all intervals; the end is before the beginning if the replies disagree
         */
        Interval combine(Interval intersection, Interval hull);
    }

    /** An interval that contains DynamoDB's time; both ends are in epoch nanoseconds. */
    public record Interval(long earliest, long latest) {}

    /**
     * A reading of the clocks before a request is sent; {@code earliest} and {@code latest} are in epoch nanoseconds.
     *
     * @param sent the monotonic time that counts as the start of the request
     * @param at the monotonic time to which the bounds of DynamoDB's time refer
     * @param agreed whether at least two replies agree on the bounds, as a take-over of a lease requires
     */
    public record Reading(long sent, long at, int epoch, long earliest, long latest, boolean agreed) {
        public long middleMillis() {
            return (earliest + (latest - earliest) / 2) / MILLI;
        }
    }

    /**
     * The smallest and largest bounds of DynamoDB's time from several replies, as of the monotonic time {@code base}.
     */
    private record Bounds(long earliestMin, long earliestMax, long latestMin, long latestMax, int replies) {
        Bounds and(Bounds other) {
            return new Bounds(
                    Math.min(earliestMin, other.earliestMin),
                    Math.max(earliestMax, other.earliestMax),
                    Math.min(latestMin, other.latestMin),
                    Math.max(latestMax, other.latestMax),
                    replies + other.replies);
        }
    }

    /** An immutable snapshot of the clock, which threads read without the lock. */
    private record State(
            int epoch, @Nullable Bounds bounds, @Nullable Bounds newest, long received) {}

    private final EngineTime time;
    private final Rules rules;
    private final Runnable onJump;
    private final long base;

    private final ReentrantLock lock = new ReentrantLock();
    // The bounds from the replies of each second; guarded by lock.
    private final NavigableMap<Long, Bounds> window = new TreeMap<>();
    private @Nullable Bounds older; // the bounds from all seconds except the newest; guarded by lock
    // Written under lock. A thread that sees the new offset after a jump also sees the new 'state'.
    private volatile long wallOffset;
    private boolean disagreed; // guarded by lock
    private boolean farOff; // guarded by lock
    private volatile State state;

    /** {@code onJump} runs after each clock jump, without the lock, on the thread that noticed the jump. */
    public BoundedClock(EngineTime time, Rules rules, Runnable onJump) {
        this.time = time;
        this.rules = rules;
        this.onJump = onJump;
        this.base = time.nanos();
        this.wallOffset = time.wallMillis();
        this.state = new State(0, null, null, base);
    }

    /** Returns the maximum error of a monotonic clock after {@code nanos}: 1,000 ppm (protocol 4.1). */
    public static long drift(long nanos) {
        return nanos / 1_000;
    }

    /** Returns the monotonic time, and checks for a clock jump. */
    public long now() {
        long before = time.nanos();
        long wall = time.wallMillis();
        long nanos = time.nanos();
        boolean together = nanos - before <= CLOSE_TOGETHER;
        return together && Math.abs(offset(wall, nanos) - wallOffset) <= UNCHANGED_MILLIS ? nanos : lookAgain();
    }

    private long lookAgain() {
        boolean jumped;
        long nanos;
        lock.lock();
        try {
            long before = time.nanos();
            long wall = time.wallMillis();
            nanos = time.nanos();
            for (int looks = 1; nanos - before > CLOSE_TOGETHER && looks < MAX_LOOKS; looks++) {
                before = nanos;
                wall = time.wallMillis();
                nanos = time.nanos();
            }
            long offset = offset(wall, nanos);
            jumped = rules.isJump(offset - wallOffset);
            if (jumped) {
                forget(nanos);
            }
            wallOffset = offset;
        } finally {
            lock.unlock();
        }
        if (jumped) {
            Quietly.run(() -> log.debug(
                    "Local clock jumped or the machine was suspended; leases are renewed before they count as valid"));
            onJump.run();
        }
        return nanos;
    }

    private long offset(long wall, long nanos) {
        return wall - (nanos - base) / MILLI; // the difference stays correct if the monotonic time wraps
    }

    private void forget(long nanos) {
        window.clear();
        older = null;
        disagreed = false;
        state = new State(state.epoch + 1, null, null, nanos);
    }

    /** Returns the number of clock jumps. A grant or renewal from before the last jump does not prove a valid lease. */
    public int epoch() {
        return state.epoch;
    }

    /** Returns whether a reply within the last ten minutes has shown DynamoDB's time. */
    public boolean isFresh(long now) {
        State current = state;
        return current.bounds != null && now - current.received <= STALE_AFTER;
    }

    /**
     * Returns a clock reading for a request that is about to be sent; {@code null} if no reply since the last clock
     * jump has shown DynamoDB's time.
     *
     * @param sent a monotonic time that was read before this call
     */
    @Nullable
    public Reading readingSince(long sent) {
        // now() is not called here, because the arrival of the reply checks for a clock jump.
        long now = time.nanos();
        State current = state;
        if (current.bounds == null) {
            return null;
        }
        Interval interval = at(now, current.bounds);
        return new Reading(
                sent,
                now,
                current.epoch,
                interval.earliest,
                interval.latest,
                current.bounds.replies >= 2 && !isDisjoint(now, current.bounds));
    }

    /**
     * Returns the bounds of DynamoDB's time; {@code null} if no reply since the last clock jump has shown DynamoDB's
     * time.
     */
    @Nullable
    public Interval at(long now) {
        State current = state;
        return current.bounds == null ? null : at(now, current.bounds);
    }

    private Interval at(long now, Bounds bounds) {
        return rules.combine(
                new Interval(lower(now, bounds.earliestMax), upper(now, bounds.latestMin)),
                new Interval(lower(now, bounds.earliestMin), upper(now, bounds.latestMax)));
    }

    private boolean isDisjoint(long now, Bounds bounds) {
        return lower(now, bounds.earliestMax) > upper(now, bounds.latestMin);
    }

    void sample(long sent, int epochAtSending, long received, Instant date) {
        Bounds sample = bounds(sent, received, date);
        lock.lock();
        try {
            if (epochAtSending == state.epoch && received - sent <= TOO_SLOW) {
                add(sample, received);
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(Bounds sample, long received) {
        long second = Math.floorDiv(received - base, SECOND);
        boolean sameSecond = !window.isEmpty() && window.lastKey() >= second;
        if (!sameSecond) {
            window.headMap(second - WINDOW / SECOND).clear();
            older = window.values().stream().reduce(Bounds::and).orElse(null);
        }
        Bounds newest = window.merge(sameSecond ? window.lastKey() : Long.valueOf(second), sample, Bounds::and);
        Bounds all = older == null ? newest : older.and(newest);
        if (all.replies == 1 && state.newest != null) {
            all = all.and(state.newest); // the newest two replies always count, whatever their age
        }
        state = new State(state.epoch, all, sample, received);
        warnOnChange(isDisjoint(received, all));
        if (!sameSecond) {
            warnOfWallClock(wallMillisAhead(at(received, all)));
        }
    }

    /**
     * Returns how far the wall clock is ahead of the middle of the interval, in milliseconds; negative if the wall
     * clock is behind.
     */
    public long wallMillisAhead(Interval interval) {
        return time.wallMillis() - (interval.earliest + (interval.latest - interval.earliest) / 2) / MILLI;
    }

    private void warnOfWallClock(long ahead) {
        boolean isFarOff = Math.abs(ahead) > FAR_OFF_MILLIS;
        if (isFarOff && !farOff) {
            Quietly.run(() -> log.warn(
                    "Local clock is {} {} that of the lease table's servers; leases do not depend on it, but times in logs"
                            + " and signatures of requests do",
                    Text.duration(Duration.ofMillis(Math.abs(ahead))),
                    ahead > 0 ? "ahead of" : "behind"));
        }
        farOff = isFarOff;
    }

    private void warnOnChange(boolean disagrees) {
        if (disagrees && !disagreed) {
            Quietly.run(() -> log.warn(
                    "Replies of the lease table's servers disagree about the time by more than {} ms; leases continue,"
                            + " but take-overs take longer",
                    EPSILON / MILLI));
        }
        disagreed = disagrees;
    }

    /** Returns whether the date of a reply is outside the bounds of DynamoDB's time that an earlier write used. */
    boolean contradicts(Reading write, long sent, long received, Instant date) {
        Bounds reply = bounds(sent, received, date);
        long since = received - write.at;
        long earliest = write.earliest + since - drift(since);
        long latest = write.latest + since + drift(since);
        return lower(received, reply.earliestMin) > latest || upper(received, reply.latestMax) < earliest;
    }

    private Bounds bounds(long sent, long received, Instant date) {
        long nanos = Math.max(-LAST_SECOND, Math.min(LAST_SECOND, date.getEpochSecond())) * SECOND;
        long earliest = nanos - EPSILON - lower(received, 0);
        long latest = nanos + SECOND + EPSILON - upper(sent, 0);
        return new Bounds(earliest, earliest, latest, latest, 1);
    }

    private long lower(long now, long earliestAtBase) {
        return earliestAtBase + (now - base) - drift(now - base);
    }

    private long upper(long now, long latestAtBase) {
        return latestAtBase + (now - base) + drift(now - base);
    }
}
