package io.leasekit.observe;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the delays between two reads of a waiter for a lease (protocol 6.3), a waiter for permits (protocol 6.6) or a
 * watch. Thread-safe.
 */
@Internal
public final class Polling {

    private static final long FIRST = 20 * MILLI;
    private static final long LAST = SECOND;
    private static final long STEADY = 2 * SECOND;

    private final String owner;
    private final Observer seen;
    private final RandomGenerator random;

    public Polling(String owner, Observer seen, RandomGenerator random) {
        this.owner = owner;
        this.seen = seen;
        this.random = random;
    }

    /** {@code begun}: the monotonic time at which the wait began. */
    public Pace of(String key, long begun) {
        return new Pace(key, begun);
    }

    /** All times are in nanoseconds; {@code age} is the time since the watch last saw a change. */
    public long delay(long age, long untilEnd) {
        return notBeyond(untilEnd, unhurried(age));
    }

    /** All times are in nanoseconds; replies have shown the same holder of each permit for {@code keptFor}. */
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

    private static long notBeyond(long untilEnd, long delay) {
        return Math.min(delay, Math.max(FIRST, untilEnd));
    }

    /**
     * Decides when one waiter reads the item again. While the holder stays the same, the delay is half the time since
     * the holder was first seen, up to a second. A delay is shortened if it would last beyond the earliest possible end
     * of the lease. Each delay is partly random, so that waiters do not all read at the same time. Not thread-safe.
     */
    public final class Pace {

        private final String key;
        private final long begun;
        private @Nullable Contention contention;
        private @Nullable String shown; // the version in the last reply
        private long since; // the monotonic time since which replies have shown the same lease, or no lease
        private long lastShown;
        private @Nullable String last; // the version of the last held lease that a reply showed
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

        /** Makes the waiter write {@code waiting_since} to the item if the next read finds the lease held. */
        public void markAtOnce() {
            handedOver = true;
        }

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

        /** Returns whether the waiter tries to acquire the lease without reading the item first. */
        public boolean asksAtOnce(long now) {
            return !handedOver && contention != null && contention.isKnown(now) && contention.isShort();
        }

        /**
         * Callers of one process can pass a lease to each other. The mark {@code waiting_since} makes such a process
         * release the lease.
         */
        public boolean shouldMark(@Nullable LeaseItem item) {
            return handedOver && item != null && item.version() != null && item.waitingSinceMillis() == null;
        }

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
