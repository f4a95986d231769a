package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * When a waiter looks again: soon at first and while the lease is seen to go from hand to hand within another process, later
 * while it stays held, up to a second; and no later than the moment at which what was last seen may end. Half of each pause is
 * at random. Lives in its acquire's mailbox.
 */
final class Polling {

    private static final long FIRST = 20 * MILLI;
    private static final long LAST = SECOND;

    private final LeaseEngine engine;
    private long pause = FIRST;
    private @Nullable String owner;
    private @Nullable UUID tenure;
    private boolean handedOver;

    Polling(LeaseEngine engine) {
        this.engine = engine;
    }

    /** Takes for granted that the lease is handed over within another process. */
    void markAtOnce() {
        handedOver = true;
    }

    /** Takes in what a read has shown. */
    void saw(@Nullable LeaseItem item) {
        UUID shown = item == null || item.version() == null ? null : Tenure.tenureOf(item.version());
        if (item == null || shown == null) {
            return;
        }
        boolean anotherTenure = tenure != null && !tenure.equals(shown);
        if (anotherTenure && item.owner() != null && item.owner().equals(owner)) {
            handedOver = true;
            pause = FIRST;
        }
        tenure = shown;
        owner = item.owner();
    }

    /** Whether the holder has to be told that another process waits: it goes from hand to hand there, and nobody has yet. */
    boolean shouldMark(@Nullable LeaseItem item) {
        return handedOver && item != null && item.version() != null && item.waitingSinceMillis() == null;
    }

    long delayNanos(@Nullable LeaseItem item, long now) {
        long delay = pause / 2 + engine.random.nextLong(pause / 2 + 1);
        pause = Math.min(LAST, pause + pause / 2);
        return item == null ? delay : Math.min(delay, Math.max(FIRST, untilEnd(item, now)));
    }

    /** The sooner of the two ways in which the lease may be found ended: by its expiry, or by having been seen long enough. */
    private long untilEnd(LeaseItem item, long now) {
        long untilDead = engine.observations.nanosUntilDead(item, now);
        BoundedClock.Interval interval = engine.clock.at(now);
        if (interval == null || item.expiry() == null || item.expiry() > Long.MAX_VALUE / SECOND - 1) {
            return untilDead;
        }
        return Math.min(untilDead, (item.expiry() + 1) * SECOND - interval.earliest());
    }
}
