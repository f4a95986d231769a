package io.leasekit.observe;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The leases of other owners, as shown by replies to this process. It remembers the most recent keys and tenures: the
 * time since which a version is unchanged (protocol 4.3), the largest token of a key (5.4), and the ended tenures of
 * this process (5.1). If it forgets something, that costs a request or a wait, but never safety. A waiter has its own
 * {@link Observation}, so its wait ends even if very many keys are watched. From these data, {@link Rules} decide
 * whether a lease has ended.
 *
 * <p>Rule 4.3 comes from the AWS DynamoDB lock client ("record version number"), and is based on Gray and Cheriton's
 * leases: it measures durations and never compares times of different machines. Thread-safe.
 */
@Internal
public final class Observer {

    private static final int MAX_KEYS = 10_000;
    private static final int MAX_TENURES = 1_000; // one per ended lease

    private final Rules rules;
    private final BoundedClock clock;
    private final long unknownTtl;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Seen> seen = new Recent<>(MAX_KEYS); // guarded by lock
    private final EndedTenures ended = new EndedTenures(MAX_TENURES); // guarded by lock
    private final Map<String, Contention> contended = new Recent<>(MAX_KEYS); // guarded by lock

    /** The decisions about observed leases (protocol 4.2, 4.3, 9). The engine makes them. Stateless, so thread-safe. */
    public interface Rules {

        /** Returns the monotonic time from which a version counts as seen if this reply is the first that shows it. */
        long observedSince(Requests.Reply reply);

        /** Returns the ttl by which the item is observed, in milliseconds; {@code null}: the item has no usable ttl. */
        @Nullable
        Long observedMillis(LeaseItem item);

        /** Returns whether an item that was seen with this version and ttl is unchanged. */
        boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now);

        /** Returns how long a version must still be seen unchanged until its holder is dead, in nanoseconds. */
        long untilDead(Observation last, long now, Observer seen);

        /** Returns whether the version is dead: no holder relies on it. */
        boolean isDead(Observation last, long now, Observer seen);

        /** Returns whether an item does not refuse an acquire, as far as is known; {@code null}: there is no item. */
        boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock);

        /** Returns whether the lease had already ended at the clock reading before a look was sent. */
        boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen);
    }

    /**
     * The observation of one waiter.
     *
     * @param item the item as a reply showed it
     * @param since the monotonic time from which its version counts as seen
     */
    public record Observation(LeaseItem item, long since) {}

    private static final class Seen {
        private @Nullable String version;
        private @Nullable Long ttlMillis;
        private long since;
        private long largestToken;
    }

    /** A map of the most recently used keys. Not thread-safe. */
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

    /** {@code unknownTtl}: the time for which an item without a usable ttl is observed, in nanoseconds. */
    public Observer(Rules rules, BoundedClock clock, long unknownTtl) {
        this.rules = rules;
        this.clock = clock;
        this.unknownTtl = unknownTtl;
    }

    /** Returns the time for which an item without a usable ttl is observed, in nanoseconds. */
    public long unknownTtl() {
        return unknownTtl;
    }

    // ---- one lease

    /** Returns the observation of an item that a reply shows; {@code before}: the last one of its key. */
    public Observation observe(@Nullable Observation before, LeaseItem item, Requests.Reply reply) {
        return before != null && rules.isUnchanged(before.item.version(), rules.observedMillis(before.item), item)
                ? new Observation(item, before.since)
                : new Observation(item, rules.observedSince(reply));
    }

    /** Returns whether the next attempt has a reason for which this item would not refuse it. */
    public boolean mayBeTaken(@Nullable Observation last, long now) {
        return rules.mayBeTaken(last, now, this, clock);
    }

    /** Returns the version that an attempt may overwrite, because its holder is dead; {@code null}: none. */
    @Nullable
    public String deadVersion(@Nullable Observation last, long now) {
        return last != null && rules.isDead(last, now, this) ? last.item.version() : null;
    }

    /** Returns whether a look shows a lease that has ended; {@code look}: the time before the look was sent. */
    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look) {
        return rules.isOver(last, look, this);
    }

    /** Returns how long the version of this item must still be seen unchanged, in nanoseconds. */
    public long untilDead(LeaseItem item, long now) {
        return rules.untilDead(new Observation(item, now), now, this);
    }

    /**
     * Returns the time until the lease may have ended, by its expiry or by observation, whichever is first;
     * {@code Long.MAX_VALUE} if {@code last} is {@code null}.
     */
    public long untilEnd(@Nullable Observation last, long now) {
        if (last == null) {
            return Long.MAX_VALUE;
        }
        long untilDead = rules.untilDead(last, now, this);
        BoundedClock.Reading time = clock.readingSince(now);
        Long expiry = last.item.expiry();
        if (time == null || !time.agreed() || expiry == null || expiry > Long.MAX_VALUE / SECOND - 1) {
            return untilDead; // without a time that replies agree on, no expiry ends a lease
        }
        return Math.min(untilDead, (expiry + 1) * SECOND - time.earliest());
    }

    // ---- memory

    /** Processes an item from a reply. */
    public void saw(LeaseItem item, Requests.Reply reply) {
        lock.lock();
        try {
            Seen key = seen.computeIfAbsent(item.key(), k -> new Seen());
            if (item.token() != null) {
                key.largestToken = Math.max(key.largestToken, item.token());
            }
            if (!rules.isUnchanged(key.version, key.ttlMillis, item)) {
                key.version = item.version();
                key.ttlMillis = rules.observedMillis(item);
                key.since = rules.observedSince(reply);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time since which a waiter, or another part of this process, has seen the version unchanged. */
    public long unchangedSince(Observation observed) {
        String version = observed.item.version();
        lock.lock();
        try {
            Seen key = seen.get(observed.item.key());
            if (key == null || version == null || !version.equals(key.version)) {
                return observed.since;
            }
            return key.since - observed.since < 0 ? key.since : observed.since;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the largest token that was seen or sent for these keys; 0 if none is remembered. */
    public long largestToken(List<String> keys) {
        lock.lock();
        try {
            long largest = 0;
            for (String key : keys) {
                Seen known = seen.get(key);
                largest = known == null ? largest : Math.max(largest, known.largestToken);
            }
            return largest;
        } finally {
            lock.unlock();
        }
    }

    /** Notes a token about to be sent. */
    public void sentToken(String key, long token) {
        lock.lock();
        try {
            Seen known = seen.computeIfAbsent(key, k -> new Seen());
            known.largestToken = Math.max(known.largestToken, token);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a tenure of this process was given up or released. Its writes in the table are dead. */
    public void ended(UUID tenure) {
        lock.lock();
        try {
            ended.add(tenure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this version belongs to a tenure of this process that was given up or released. */
    public boolean isEnded(String version) {
        UUID tenure = Tenure.tenureOf(version);
        lock.lock();
        try {
            return tenure != null && ended.contains(tenure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the recent moves of the key between processes; {@code null}: none were seen. */
    @Nullable
    public Contention contention(String key) {
        lock.lock();
        try {
            return contended.get(key);
        } finally {
            lock.unlock();
        }
    }

    /** Notes a release, so waiters of other processes get the lease before this process asks again (6). */
    public void released(List<String> keys, boolean waitedFor, long now) {
        for (String key : keys) {
            Contention contention = waitedFor ? contended(key, now) : contention(key);
            if (contention != null) {
                contention.released(waitedFor, now);
            }
        }
    }

    /** Notes that processes contend for the key, and returns its moves. */
    public Contention contended(String key, long now) {
        lock.lock();
        try {
            return contended.computeIfAbsent(key, k -> new Contention(now));
        } finally {
            lock.unlock();
        }
    }
}
