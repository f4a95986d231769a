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
 * The leases of other owners, as replies to this process showed them. For the most recent keys and tenures, an observer
 * remembers the time since which a version is unchanged (protocol 4.3), the largest token of a key (protocol 5.4), and
 * the tenures of this process that have ended (protocol 5.1). If an observer has forgotten such data, this costs a
 * request or a longer wait, but never safety. Each waiter also has an {@link Observation} of its own, so its wait ends
 * even if this process watches very many keys. From observations and remembered data, {@link Rules} decide whether a
 * lease has ended.
 *
 * <p>The rule in protocol 4.3 comes from the AWS DynamoDB lock client ("record version number") and builds on the
 * leases of Gray and Cheriton. The rule measures durations and never compares the clocks of different machines.
 * Thread-safe.
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

    /**
     * The decisions about observed leases (protocol 4.2, 4.3, 9), implemented by the engine. Stateless and therefore
     * thread-safe.
     */
    public interface Rules {

        /**
         * Returns the monotonic time at which the observation of a version begins if this reply is the first that shows
         * the version.
         */
        long observedSince(Requests.Reply reply);

        /**
         * Returns the time for which this item must be observed before its holder counts as dead, in milliseconds;
         * {@code null}: the item has no usable ttl.
         */
        @Nullable
        Long observedMillis(LeaseItem item);

        /** Returns whether the item {@code now} still has the version and the ttl that were last seen. */
        boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now);

        /**
         * Returns for how much longer a version must stay unchanged before its holder counts as dead, in nanoseconds.
         */
        long untilDead(Observation last, long now, Observer seen);

        /** Returns whether the version is dead: no holder relies on it. */
        boolean isDead(Observation last, long now, Observer seen);

        /**
         * Returns whether an acquire might succeed, according to the item last seen. {@code last} is {@code null} if
         * there is no item.
         */
        boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock);

        /**
         * Returns whether the lease had already ended at the clock reading {@code look}, which was taken before the
         * read was sent.
         */
        boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen);
    }

    /**
     * The observation of one waiter.
     *
     * @param item the item in the last reply
     * @param since the monotonic time at which the observation of the item's version began
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

    /** {@code unknownTtl}: the time for which an item without a usable ttl must be observed, in nanoseconds. */
    public Observer(Rules rules, BoundedClock clock, long unknownTtl) {
        this.rules = rules;
        this.clock = clock;
        this.unknownTtl = unknownTtl;
    }

    /** Returns the time for which an item without a usable ttl must be observed, in nanoseconds. */
    public long unknownTtl() {
        return unknownTtl;
    }

    // ---- one lease

    /** Returns the observation of an item in a reply. {@code before}: the previous observation of the same key. */
    public Observation observe(@Nullable Observation before, LeaseItem item, Requests.Reply reply) {
        return before != null && rules.isUnchanged(before.item.version(), rules.observedMillis(before.item), item)
                ? new Observation(item, before.since)
                : new Observation(item, rules.observedSince(reply));
    }

    /** Returns whether the next acquire attempt might succeed, according to this observation. */
    public boolean mayBeTaken(@Nullable Observation last, long now) {
        return rules.mayBeTaken(last, now, this, clock);
    }

    /** Returns the version that an acquire may overwrite because its holder is dead; {@code null}: no version. */
    @Nullable
    public String deadVersion(@Nullable Observation last, long now) {
        return last != null && rules.isDead(last, now, this) ? last.item.version() : null;
    }

    /**
     * Returns whether a read shows that the lease has ended. {@code look}: the clock reading before the read was sent.
     */
    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look) {
        return rules.isOver(last, look, this);
    }

    /**
     * Returns for how much longer this item's version must stay unchanged before its holder counts as dead, in
     * nanoseconds.
     */
    public long untilDead(LeaseItem item, long now) {
        return rules.untilDead(new Observation(item, now), now, this);
    }

    /**
     * Returns the time after which the lease might have ended, in nanoseconds: the time until its expiry or until its
     * holder counts as dead, whichever is shorter. Returns {@code Long.MAX_VALUE} if {@code last} is {@code null}.
     */
    public long untilEnd(@Nullable Observation last, long now) {
        if (last == null) {
            return Long.MAX_VALUE;
        }
        long untilDead = rules.untilDead(last, now, this);
        BoundedClock.Reading time = clock.readingSince(now);
        Long expiry = last.item.expiry();
        if (time == null || !time.agreed() || expiry == null || expiry > Long.MAX_VALUE / SECOND - 1) {
            return untilDead; // an expiry counts only if the replies agree on the time
        }
        return Math.min(untilDead, (expiry + 1) * SECOND - time.earliest());
    }

    // ---- memory

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

    /**
     * Returns the monotonic time since which the version has been seen unchanged, by the waiter or by other reads of
     * this process.
     */
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

    /** Returns the largest token that this process saw or sent for these keys; 0 if it remembers none. */
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

    /** Records a token that is about to be sent. */
    public void sentToken(String key, long token) {
        lock.lock();
        try {
            Seen known = seen.computeIfAbsent(key, k -> new Seen());
            known.largestToken = Math.max(known.largestToken, token);
        } finally {
            lock.unlock();
        }
    }

    /** Records that this process released or gave up a tenure. All versions that this tenure wrote are dead. */
    public void ended(UUID tenure) {
        lock.lock();
        try {
            ended.add(tenure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this version belongs to a tenure that this process released or gave up. */
    public boolean isEnded(String version) {
        UUID tenure = Tenure.tenureOf(version);
        lock.lock();
        try {
            return tenure != null && ended.contains(tenure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the history of the key's moves between processes; {@code null}: no move was seen. */
    @Nullable
    public Contention contention(String key) {
        lock.lock();
        try {
            return contended.get(key);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records a release, so that waiters of other processes get the lease before this process tries to acquire it again
     * (protocol 6.3). {@code waitedFor}: whether other processes wait for it.
     */
    public void released(List<String> keys, boolean waitedFor, long now) {
        for (String key : keys) {
            Contention contention = waitedFor ? contended(key, now) : contention(key);
            if (contention != null) {
                contention.released(waitedFor, now);
            }
        }
    }

    /** Records that several processes want the key, and returns the history of the key's moves. */
    public Contention contended(String key, long now) {
        lock.lock();
        try {
            return contended.computeIfAbsent(key, k -> new Contention(now));
        } finally {
            lock.unlock();
        }
    }
}
