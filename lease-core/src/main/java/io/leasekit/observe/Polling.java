package io.leasekit.observe;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the delays between the reads of waiters for a lease (protocol 6.3), of waiters for permits (protocol 6.6) and
 * of watches. {@link Pace} holds the state of one waiter. Thread-safe.
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

    /** Returns the pacing of a new waiter for this key. {@code begun}: the monotonic time at which the wait began. */
    public Pace of(String key, long begun) {
        return new Pace(key, begun);
    }

    /**
     * Returns the delay before the next read of a watch, in nanoseconds. {@code age}: the time for which the watch has
     * seen the present state. {@code untilEnd}: the time until the earliest possible end of the lease.
     */
    public long delay(long age, long untilEnd) {
        return notBeyond(untilEnd, unhurried(age));
    }

    /**
     * Returns the delay before the next read of the callers that wait for permits of one key. While permits move
     * between processes, {@link Contention} sets the delay, and the delay grows as long as reads show no move. While
     * permits do not move, the delay grows with the time {@code waited}. In the first two seconds of the wait, each
     * delay ends soon after the earliest possible end of a lease. After two seconds, each delay lasts at least a
     * second.
     *
     * @param keptFor the time for which reads have shown no move of a permit
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

    /** Shortens the delay so that the next read follows soon after the earliest possible end of the lease. */
    private static long notBeyond(long untilEnd, long delay) {
        return Math.min(delay, Math.max(FIRST, untilEnd));
    }

    /**
     * The pacing of one waiter. While the lease moves between processes, {@link Contention} sets the delays. While one
     * holder keeps the lease, a delay is half the time for which that holder has been seen, up to a second. Each delay
     * is shortened so that it ends soon after the earliest possible end of the lease that was last seen. A part of each
     * delay is random. Used only in the mailbox of the waiter's acquire.
     */
    public final class Pace {

        private final String key;
        private final long begun;
        private @Nullable Contention contention;
        private @Nullable String shown; // the version in the last reply
        private long since; // since when replies have shown the lease of this version
        private long lastShown;
        private @Nullable String last; // the last version of a held lease in a reply
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

        /**
         * Makes the waiter mark the item if the next read finds the lease held. Called if another process is seen to
         * pass the lease on between its own callers.
         */
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

        /**
         * Records the duration of a request for the key: an acquire attempt, even a failed one, or an answered read.
         */
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
         * Returns whether the waiter marks the item: another process has passed the lease on between its own callers,
         * and no waiter has marked the item yet.
         */
        public boolean shouldMark(@Nullable LeaseItem item) {
            return handedOver && item != null && item.version() != null && item.waitingSinceMillis() == null;
        }

        /**
         * Returns the delay before the next read, in nanoseconds. {@code untilEnd}: the time until the earliest
         * possible end of the lease, in nanoseconds.
         */
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
