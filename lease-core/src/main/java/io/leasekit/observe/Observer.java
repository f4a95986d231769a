package io.leasekit.observe;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the state of other owners' leases, as the store's replies to this process showed it. For each key, an
 * observer remembers when it first saw the current version (protocol 4.3), and the largest fencing token (protocol
 * 5.4). A forgotten key can cause an additional request or a longer wait, but does not affect safety. Each waiter has
 * its own {@link Observation}, so a waiter detects a dead holder even if the observer has forgotten the key.
 *
 * <p>A holder counts as dead if the version in the holder's item stays unchanged for the ttl (protocol 4.3). The AWS
 * DynamoDB lock client uses the same rule ("record version number"). The rule builds on the leases of Gray and
 * Cheriton. Protocol 4.3 measures durations and never compares the clocks of different machines. Thread-safe.
 */
@Internal
public final class Observer {

    private static final int MAX_KEYS = 10_000;
    private static final int MAX_TENURES = 1_000;

    private final Rules rules;
    private final BoundedClock clock;
    private final long unknownTtl;
    private final BriefLock lock = new BriefLock(); // guards the fields below
    private final Map<String, Seen> seen = new Recent<>(MAX_KEYS);
    private final EndedTenures ended = new EndedTenures(MAX_TENURES);
    private final Map<String, Contention> contended = new Recent<>(MAX_KEYS);

    /** Decides whether another owner's lease has ended (protocol 4.2, 4.3 and 9). Thread-safe. */
    public interface Rules {

        /**
         * Returns the monotonic time from which a version counts as unchanged. {@code reply} was the first reply with
         * this version.
         */
        long observedSince(Requests.Reply reply);

        /**
         * Returns the milliseconds after which the holder of an unchanged version is dead; {@code null} if no ttl is
         * usable.
         */
        @Nullable
        Long observedMillis(LeaseItem item);

        boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now);

        /** Returns the nanoseconds after which the holder counts as dead if the version stays unchanged. */
        long untilDead(Observation last, long now, Observer seen);

        boolean isDead(Observation last, long now, Observer seen);

        /** {@code last}: {@code null} if the key has no item. */
        boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock);

        /** {@code look}: a clock sample from before the read that returned {@code last}. */
        boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen);
    }

    /** An item, and the monotonic time since which its version is known to be unchanged. */
    public record Observation(LeaseItem item, long since) {}

    private static final class Seen {
        private @Nullable String version;
        private @Nullable Long ttlMillis;
        private long since;
        private long largestToken;
    }

    /** A map that keeps only the most recently used keys, up to a maximum number. Not thread-safe. */
    public static final class Recent<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;

        private final int most;

        public Recent(int most) {
            super(16, 0.75f, true);
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
        }
    }

    /** {@code unknownTtl}: replaces an unusable ttl in an item, in nanoseconds. */
    public Observer(Rules rules, BoundedClock clock, long unknownTtl) {
        this.rules = rules;
        this.clock = clock;
        this.unknownTtl = unknownTtl;
    }

    public long unknownTtl() {
        return unknownTtl;
    }

    // ---- one lease

    public Observation observe(@Nullable Observation before, LeaseItem item, Requests.Reply reply) {
        return before != null && rules.isUnchanged(before.item.version(), rules.observedMillis(before.item), item)
                ? new Observation(item, before.since)
                : new Observation(item, rules.observedSince(reply));
    }

    public boolean mayBeTaken(@Nullable Observation last, long now) {
        return rules.mayBeTaken(last, now, this, clock);
    }

    /** Returns the version that an acquire may overwrite; {@code null} if the holder is not known to be dead. */
    @Nullable
    public String deadVersion(@Nullable Observation last, long now) {
        return last != null && rules.isDead(last, now, this) ? last.item.version() : null;
    }

    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look) {
        return rules.isOver(last, look, this);
    }

    public long untilDead(LeaseItem item, long now) {
        return rules.untilDead(new Observation(item, now), now, this);
    }

    /** Returns the shortest time after which the lease can end, in nanoseconds. */
    public long untilEnd(@Nullable Observation last, long now) {
        if (last == null) {
            return Long.MAX_VALUE;
        }
        long untilDead = rules.untilDead(last, now, this);
        BoundedClock.Reading time = clock.readingSince(now);
        Long expiry = last.item.expiry();
        if (time == null || !time.agreed() || expiry == null || expiry > Long.MAX_VALUE / SECOND - 1) {
            return untilDead; // the expiry or DynamoDB's time is uncertain, so only the ttl counts
        }
        return Math.min(untilDead, (expiry + 1) * SECOND - time.earliest());
    }

    // ---- memory

    public void saw(LeaseItem item, Requests.Reply reply) {
        lock.run(() -> {
            Seen key = seen.computeIfAbsent(item.key(), k -> new Seen());
            if (item.token() != null) {
                key.largestToken = Math.max(key.largestToken, item.token());
            }
            if (!rules.isUnchanged(key.version, key.ttlMillis, item)) {
                key.version = item.version();
                key.ttlMillis = rules.observedMillis(item);
                key.since = rules.observedSince(reply);
            }
        });
    }

    /** Returns the monotonic time since which this process has seen the observed version unchanged. */
    public long unchangedSince(Observation observed) {
        String version = observed.item.version();
        return lock.get(() -> {
            Seen key = seen.get(observed.item.key());
            if (key == null || version == null || !version.equals(key.version)) {
                return observed.since;
            }
            return key.since - observed.since < 0 ? key.since : observed.since;
        });
    }

    /** Returns the largest fencing token that this process saw or sent for these keys; 0 if it remembers no token. */
    public long largestToken(List<String> keys) {
        return lock.get(() -> {
            long largest = 0;
            for (String key : keys) {
                Seen known = seen.get(key);
                largest = known == null ? largest : Math.max(largest, known.largestToken);
            }
            return largest;
        });
    }

    public void sentToken(String key, long token) {
        lock.run(() -> {
            Seen known = seen.computeIfAbsent(key, k -> new Seen());
            known.largestToken = Math.max(known.largestToken, token);
        });
    }

    /** After this call, every version with the id {@code tenure} counts as dead. */
    public void ended(UUID tenure) {
        lock.run(() -> ended.add(tenure));
    }

    public boolean isEnded(String version) {
        UUID tenure = Tenure.tenureOf(version);
        return lock.get(() -> tenure != null && ended.contains(tenure));
    }

    /** Returns {@code null} if no other process has wanted the key. */
    @Nullable
    public Contention contention(String key) {
        return lock.get(() -> contended.get(key));
    }

    /** Delays this process's next acquire, so that waiters of other processes come first (protocol 6.3). */
    public void released(List<String> keys, boolean waitedFor, long now) {
        for (String key : keys) {
            Contention contention = waitedFor ? contended(key, now) : contention(key);
            if (contention != null) {
                contention.released(waitedFor, now);
            }
        }
    }

    public Contention contended(String key, long now) {
        return lock.get(() -> contended.computeIfAbsent(key, k -> new Contention(now)));
    }
}
