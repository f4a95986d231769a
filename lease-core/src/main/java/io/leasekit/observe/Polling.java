package io.leasekit.observe;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the delays between the looks of waiters (6.3), of waiters for permits (6.6) and of watches. All of them share
 * this class; {@link Pace} is the part of one waiter. Thread-safe.
 */
@Internal
public final class Polling {

    private static final long FIRST = 20 * MILLI;
    private static final long LAST = SECOND;
    private static final long STEADY = 2 * SECOND;

    private final String owner;
    private final Observer seen;
    private final RandomGenerator random;

    /** {@code owner}: that of this process. */
    public Polling(String owner, Observer seen, RandomGenerator random) {
        this.owner = owner;
        this.seen = seen;
        this.random = random;
    }

    /**
     * Returns the delays of looks at a key; {@code begun}: the monotonic time at which the wait for the key began.
     */
    public Pace of(String key, long begun) {
        return new Pace(key, begun);
    }

    /**
     * Returns the delay of an observer who wants no lease, at a state seen for {@code age}; {@code untilEnd}: the time until
     * the lease may have ended.
     */
    public long delay(long age, long untilEnd) {
        return notBeyond(untilEnd, unhurried(age));
    }

    /**
     * Returns the delay of callers that have waited this long for one of this many permits. While permits move between
     * processes, {@link Contention} sets it, but it grows while looks show no move. Otherwise it grows with the wait. At
     * first, it does not last much beyond the earliest possible end of a lease; from the third second on, it is at least
     * a second.
     *
     * @param keptFor how long looks have shown no move
     */
    public long delayOfPermits(
            long waited, long keptFor, long untilEnd, @Nullable Contention contention, int permits, long now) {
        if (contention != null && contention.isKnown(now)) {
            long delay = contention.delay(waited, permits, random);
            boolean areKept = !contention.isQuick(keptFor) && contention.isLong(keptFor);
            return notBeyond(untilEnd, areKept ? Math.max(delay, whileHeld(keptFor)) : delay);
        }
        long half = Math.max(FIRST, Math.min(LAST, waited / 2));
        long delay = half + random.nextLong(half / 4);
        return waited >= STEADY ? delay : notBeyond(untilEnd, delay);
    }

    private long unhurried(long age) {
        return Math.max(FIRST / 2 + random.nextLong(FIRST / 2), whileHeld(age));
    }

    private long whileHeld(long age) {
        long half = Math.min(LAST, age / 2);
        return half - random.nextLong(half / 4 + 1);
    }

    /** Returns this delay, or a shorter one that does not last much beyond the end of the lease. */
    private static long notBeyond(long untilEnd, long delay) {
        return Math.min(delay, Math.max(FIRST, untilEnd));
    }

    /**
     * The pacing of one waiter. While the lease moves between processes, {@link Contention} sets the delays. While one
     * holder keeps it, a delay is half the time for which that holder has been seen, up to a second. No delay lasts
     * much beyond the earliest possible end of the lease that was last seen. A part of each delay is random. Used only
     * in the mailbox of its acquire.
     */
    public final class Pace {

        private final String key;
        private final long begun;
        private @Nullable Contention contention;
        private @Nullable String shown; // the version in the last reply
        private long since; // since when its tenure was shown
        private long lastShown;
        private @Nullable String last; // a version of the last tenure that was shown
        private @Nullable String lastOwner;
        private boolean handedOver;

        private Pace(String key, long begun) {
            this.key = key;
            this.begun = begun;
            this.since = begun;
            this.contention = seen.contention(key);
        }

        public String key() {
            return key;
        }

        /** Assumes that the lease is handed over within another process, so a look that finds it held marks it. */
        public void markAtOnce() {
            handedOver = true;
        }

        /** Processes the item that a reply has shown. */
        public void saw(@Nullable LeaseItem item, long now) {
            String version = item == null ? null : item.version();
            String found = version == null || Tenure.tenureOf(version) == null ? null : version;
            if (item != null && found != null && !Tenure.isSame(found, last)) {
                turned(item.owner() == null ? "" : item.owner(), now);
            }
            if (found == null ? shown != null : !Tenure.isSame(found, shown)) {
                since = now;
            }
            shown = found;
            last = found == null ? last : found;
            lastShown = now;
        }

        private void turned(String foundOwner, long now) {
            if (last != null) {
                handedOver = foundOwner.equals(lastOwner);
                contention = seen.contended(key, now);
                contention.ended(shown == null ? 0 : lastShown - since);
            }
            lastOwner = foundOwner;
            if (contention != null && !foundOwner.equals(owner)) {
                contention.saw(foundOwner, now);
            }
        }

        /** Processes the duration of a request for the key: an attempt, also one that failed, or a look that was answered. */
        public void requestEnded(long nanos) {
            if (contention != null) {
                contention.requestEnded(nanos);
            }
        }

        public void granted(long now) {
            if (contention != null) {
                contention.granted(last != null, now);
            }
        }

        /** Returns whether to ask for the lease without looking first. */
        public boolean asksAtOnce(long now) {
            return !handedOver && contention != null && contention.isKnown(now) && contention.isShort();
        }

        /** Returns whether to mark the item: the lease was handed over within one process, and no waiter has marked it. */
        public boolean shouldMark(@Nullable LeaseItem item) {
            return handedOver && item != null && item.version() != null && item.waitingSinceMillis() == null;
        }

        /** Returns the next delay; {@code untilEnd}: the time until the lease may have ended. */
        public long delayNanos(long now, long untilEnd) {
            long delay = unhurried(now - since);
            if (contention != null && contention.isKnown(now)) {
                delay = contention.delay(now - begun, random);
                if (contention.isLong(now - since)) {
                    delay = Math.max(delay, whileHeld(now - since));
                }
            }
            return notBeyond(untilEnd, delay);
        }
    }
}
