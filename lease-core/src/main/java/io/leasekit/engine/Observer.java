package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.SeenItems;
import io.leasekit.tenure.SeenItems.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The leases of other owners as replies have shown them, for acquires, permits, watches and operators. {@link LeaseRules}
 * judges them (protocol 4.2, 4.3). Thread-safe.
 */
final class Observer {

    private final LeaseRules rules;
    private final BoundedClock clock;
    private final SeenItems seen;

    Observer(LeaseRules rules, BoundedClock clock, SeenItems seen) {
        this.rules = rules;
        this.clock = clock;
        this.seen = seen;
    }

    /** Returns the observation of an item that a reply shows; {@code before}: the last one of its key. */
    Observation observe(@Nullable Observation before, LeaseItem item, Requests.Reply reply) {
        return before != null && rules.isUnchanged(before.item().version(), rules.observedMillis(before.item()), item)
                ? new Observation(item, before.since())
                : new Observation(item, rules.observedSince(reply));
    }

    /** Returns whether this item would not refuse the next attempt, for a reason that the attempt can name. */
    boolean mayBeTaken(@Nullable Observation last, long now) {
        return rules.mayBeTaken(last, now, seen, clock);
    }

    /** Returns the version that an attempt may overwrite, because its holder is dead; {@code null}: none. */
    @Nullable
    String deadVersion(@Nullable Observation last, long now) {
        return last != null && rules.isDead(last, now, seen) ? last.item().version() : null;
    }

    /** Returns whether a look shows a lease that is over; {@code look}: the time before its sending. */
    boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look) {
        return rules.isOver(last, look, seen);
    }

    /** Returns how long the version of this item must still be seen unchanged, in nanoseconds. */
    long untilDead(LeaseItem item, long now) {
        return rules.untilDead(new Observation(item, now), now, seen);
    }

    /** Returns the time until the lease may have ended, by its expiry or by observation, whichever is first. */
    long untilEnd(@Nullable Observation last, long now) {
        if (last == null) {
            return Long.MAX_VALUE;
        }
        long untilDead = rules.untilDead(last, now, seen);
        BoundedClock.Interval time = clock.at(now);
        Long expiry = last.item().expiry();
        if (time == null || expiry == null || expiry > Long.MAX_VALUE / SECOND - 1) {
            return untilDead;
        }
        return Math.min(untilDead, (expiry + 1) * SECOND - time.earliest());
    }
}
