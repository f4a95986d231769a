package io.leasekit.engine;

import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.SeenItems;
import org.jspecify.annotations.Nullable;

/**
 * Judges the leases of other owners by what replies have shown (protocol 4.2, 4.3), for acquires, permits and watches.
 * Thread-safe.
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

    /** Returns whether this item would not refuse the next attempt, for a reason that the attempt can name. */
    boolean mayBeTaken(SeenItems.@Nullable Observation last, long now) {
        return last == null
                || last.item().version() == null
                || deadVersion(last, now) != null
                || rules.isExpired(last.item(), clock.readingSince(now));
    }

    /** Returns the version that an attempt may overwrite, because its holder is dead; {@code null}: none. */
    @Nullable
    String deadVersion(SeenItems.@Nullable Observation last, long now) {
        String version = last == null ? null : last.item().version();
        if (last == null || version == null) {
            return null;
        }
        return seen.isEnded(version) || seen.nanosUntilDead(last, now) <= 0 ? version : null;
    }

    /** Returns whether a lease had surely ended at this time: it has expired, or it was seen unchanged for its ttl. */
    boolean isOver(SeenItems.Observation lease, BoundedClock.@Nullable Reading time) {
        return time != null && (rules.isExpired(lease.item(), time) || seen.nanosUntilDead(lease, time.sent()) <= 0);
    }

    /** Returns the observation of an item that a reply shows; {@code before}: the last one of its key. */
    SeenItems.Observation observe(SeenItems.@Nullable Observation before, LeaseItem item, Requests.Reply reply) {
        return before != null && rules.isUnchanged(before.item(), item)
                ? new SeenItems.Observation(item, before.since())
                : new SeenItems.Observation(item, rules.observedSince(reply));
    }
}
