package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.MILLI;
import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.store.LeaseItem;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a waiter looks again (6): as {@link Contention} says while the lease goes from process to process; after half of the time
 * for which it has been seen held by the same one, up to a second, while it does not; and no later than the moment at which what
 * was last seen may end. A part of each pause is at random. Lives in its acquire's mailbox.
 */
final class Polling {

    private static final long FIRST = 20 * MILLI;
    private static final long LAST = SECOND;

    private final String key;
    private final String owner;
    private final SeenItems seen;
    private final RandomGenerator random;
    private final long begun;
    private @Nullable Contention contention;
    private @Nullable UUID shown; // by the last reply
    private long since; // from when on it was shown
    private long lastShown;
    private @Nullable UUID tenure; // the last one that was shown
    private @Nullable String lastOwner;
    private boolean handedOver;

    /** {@code owner} is this process's; {@code begun}: the monotonic time from which on the lease is waited for. */
    Polling(String key, String owner, SeenItems seen, RandomGenerator random, long begun) {
        this.key = key;
        this.owner = owner;
        this.seen = seen;
        this.random = random;
        this.begun = begun;
        this.since = begun;
        this.contention = seen.contention(key);
    }

    String key() {
        return key;
    }

    /** Takes for granted that the lease is handed over within another process. */
    void markAtOnce() {
        handedOver = true;
    }

    /** Takes in what a reply has shown. */
    void saw(@Nullable LeaseItem item, long now) {
        UUID found = item == null || item.version() == null ? null : Tenure.tenureOf(item.version());
        if (item != null && found != null && !found.equals(tenure)) {
            turned(found, item.owner() == null ? "" : item.owner(), now);
        }
        if (!Objects.equals(found, shown)) {
            shown = found;
            since = now;
        }
        lastShown = now;
    }

    private void turned(UUID found, String foundOwner, long now) {
        if (tenure != null) {
            handedOver = foundOwner.equals(lastOwner);
            contention = seen.contended(key, now);
            contention.ended(shown == null ? 0 : lastShown - since);
        }
        tenure = found;
        lastOwner = foundOwner;
        if (contention != null && !foundOwner.equals(owner)) {
            contention.saw(foundOwner, now);
        }
    }

    /** Takes in how long a look took. */
    void looked(long nanos) {
        if (contention != null) {
            contention.looked(nanos);
        }
    }

    void granted(long now) {
        if (contention != null) {
            contention.granted(tenure != null, now);
        }
    }

    /** Whether to ask for the lease without a look at who has it. */
    boolean asksAtOnce(long now) {
        return !handedOver && contention != null && contention.isKnown(now) && contention.isShort();
    }

    /** Whether the holder has to be told that another process waits: it goes from hand to hand there, and nobody has yet. */
    boolean shouldMark(@Nullable LeaseItem item) {
        return handedOver && item != null && item.version() != null && item.waitingSinceMillis() == null;
    }

    /** Returns how long to pause; {@code interval} is DynamoDB's time as it is now. */
    long delayNanos(@Nullable LeaseItem item, long now, BoundedClock.@Nullable Interval interval) {
        long delay = Math.max(FIRST / 2 + random.nextLong(FIRST / 2), whileHeld(now));
        if (contention != null && contention.isKnown(now)) {
            delay = contention.pause(now - begun, random);
            if (contention.isLong(now - since)) {
                delay = Math.max(delay, whileHeld(now));
            }
        }
        return item == null ? delay : Math.min(delay, Math.max(FIRST, untilEnd(item, now, interval)));
    }

    private long whileHeld(long now) {
        long half = Math.min(LAST, (now - since) / 2);
        return half - random.nextLong(half / 4 + 1);
    }

    /** The sooner of the two ways in which the lease may be found ended: by its expiry, or by having been seen long enough. */
    private long untilEnd(LeaseItem item, long now, BoundedClock.@Nullable Interval interval) {
        long untilDead = seen.nanosUntilDead(item, now);
        if (interval == null || item.expiry() == null || item.expiry() > Long.MAX_VALUE / SECOND - 1) {
            return untilDead;
        }
        return Math.min(untilDead, (item.expiry() + 1) * SECOND - interval.earliest());
    }
}
