package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;

import org.jspecify.annotations.Nullable;

/**
 * When a waiter looks again: soon at first, later while the lease stays held, up to a second; and no later than the moment
 * at which what was last seen may end. Half of each pause is at random. Lives in its acquire's mailbox.
 */
final class Polling {

    private static final long FIRST = 20 * MILLI;
    private static final long LAST = SECOND;

    private final LeaseEngine engine;
    private long pause = FIRST;

    Polling(LeaseEngine engine) {
        this.engine = engine;
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
