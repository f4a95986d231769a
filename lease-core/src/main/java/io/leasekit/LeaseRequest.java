package io.leasekit;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lease: one or several keys, and the settings that differ from the manager's. Immutable: the methods
 * with a parameter return a changed copy. Thread-safe.
 */
public final class LeaseRequest {

    /**
     * An unlimited wait. This wait ends when the lease is acquired, the wait is cancelled or interrupted, or the
     * manager closes.
     */
    public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

    private final Values values; // not changed after construction

    private LeaseRequest(Values values) {
        this.values = values;
    }

    private LeaseRequest copy(Consumer<Values> change) {
        Values draft = values.clone();
        change.accept(draft);
        return new LeaseRequest(draft.checked());
    }

    /**
     * Returns a request for this key with the manager's settings, without waiting.
     *
     * @throws IllegalArgumentException if the key is null, blank, malformed, longer than 2,048 bytes of UTF-8, contains
     *     {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with {@code #permissions}
     */
    public static LeaseRequest of(String key) {
        Checks.leaseKey(key);
        return new LeaseRequest(new Values(List.of(key)));
    }

    /**
     * Returns a request for one lease of all these keys, as {@link #ofAll(Collection)} does.
     *
     * @throws IllegalArgumentException if {@link #ofAll(Collection)} refuses the keys
     */
    public static LeaseRequest ofAll(String... keys) {
        return ofAll(Arrays.asList(keys));
    }

    /**
     * Returns a request for one lease of all these keys, with the manager's settings and without waiting. One
     * transaction acquires all keys or none. The lease is renewed, released and lost as a whole, and has one fencing
     * token. With a single key, the request is the same as {@link #of(String)}.
     *
     * <p>A waiter holds none of its keys, so callers that name the same keys in different orders cannot deadlock. The
     * waiter acquires the keys when all are free at the same time. Such a waiter does not join the local queue of its
     * process.
     *
     * @throws IllegalArgumentException if there is no key or more than 100 keys, if a key is named twice, or if
     *     {@link #of} refuses a key
     */
    public static LeaseRequest ofAll(Collection<String> keys) {
        return new LeaseRequest(new Values(Checks.keys(keys)));
    }

    /**
     * Returns a copy with this name for meters and traces. Leases of one kind share a name: an application may have any
     * number of keys, but should have few names.
     *
     * @throws IllegalArgumentException if the name is null, blank, malformed or longer than 128 characters
     */
    public LeaseRequest named(String value) {
        Checks.name(value, key());
        return copy(draft -> draft.name = value);
    }

    /**
     * Returns a copy with this ttl, the validity of one grant or renewal.
     *
     * @throws IllegalArgumentException if the ttl is shorter than 2 s or longer than 365 days
     */
    public LeaseRequest ttl(Duration value) {
        Checks.ttl(value, key());
        return copy(draft -> draft.ttl = value);
    }

    /**
     * Returns a copy with this interval between renewals. The acquire checks that it is at most half of the ttl.
     *
     * @throws IllegalArgumentException if the interval is zero or negative
     */
    public LeaseRequest heartbeatInterval(Duration value) {
        Checks.positive(value, "heartbeatInterval", key());
        return copy(draft -> draft.heartbeatInterval = value);
    }

    /**
     * Returns a copy that waits up to this long while another owner holds the lease. Zero does not wait;
     * {@link #UNLIMITED} waits without a limit.
     *
     * @throws IllegalArgumentException if the wait is negative
     */
    public LeaseRequest waitFor(Duration value) {
        Checks.notNegative(value, "waitFor", key());
        return copy(draft -> draft.waitFor = value);
    }

    /**
     * Returns a copy that keeps other owners from the key for this long after the acquire, even if the work ends
     * sooner. A hold serves scheduling, not exclusion.
     *
     * <p>A hold that ends less than about 5 s after the acquire is exact: this process measures the time, and sends the
     * release when the hold ends. If the process dies before, the hold ends with the ttl.
     *
     * <p>All other holds are written to the table, so they do not depend on a living process. Holds may end up to 2 s
     * late. They may also end early, by up to 1 s plus the duration of a request, but no earlier than about 5 to 8 s
     * after the acquire. These holds are written to the table:
     *
     * <ul>
     *   <li>longer holds, and holds that end after the {@code holdAtMost} or after the ttl of a passive lease,
     *   <li>holds of a release that records a run or follows a loss, and
     *   <li>holds of a manager that does not {@linkplain LeaseManagerBuilder#releaseInBackground release in the
     *       background}.
     * </ul>
     *
     * @throws IllegalArgumentException if the time is negative, or the request has permits
     */
    public LeaseRequest holdAtLeast(Duration value) {
        Checks.notNegative(value, "holdAtLeast", key());
        return copy(draft -> draft.holdAtLeast = value);
    }

    /**
     * Returns a copy that keeps other owners from the key for this time after the release, as accurately as
     * {@link #holdAtLeast(Duration)} does. A cooldown of 1 s may have no effect.
     *
     * @throws IllegalArgumentException if the time is negative, or the request has permits
     */
    public LeaseRequest cooldown(Duration value) {
        Checks.notNegative(value, "cooldown", key());
        return copy(draft -> draft.cooldown = value);
    }

    /**
     * Returns a copy that limits the validity of the lease to this time after the acquire. Time in which this machine
     * is suspended counts, to within about 4 s. When the limit is reached, the lease is lost with
     * {@link LeaseLossReason#HOLD_LIMIT}. Other owners can acquire the key about 4 s later. Owners that were not
     * waiting before can acquire it no earlier than 4 to 5.5 s after the acquire.
     *
     * @throws IllegalArgumentException if the limit is zero or negative
     */
    public LeaseRequest holdAtMost(Duration value) {
        Checks.positive(value, "holdAtMost", key());
        return copy(draft -> draft.holdAtMost = value);
    }

    /**
     * Returns a copy whose lease is not renewed by heartbeats. The lease ends one ttl after the acquire, unless
     * {@link Lease#extend(Duration)} moves its end. At its end it is lost with {@link LeaseLossReason#EXPIRED}, without
     * an earlier warning. If its process dies, other owners wait until the same time. After a clock jump, one renewal
     * confirms the lease without moving its end. A heartbeat interval has no effect.
     */
    public LeaseRequest passive() {
        return copy(draft -> draft.passive = true);
    }

    /**
     * Returns a copy that requests the lease for the run with this name, in any order, like
     * {@code once(run, OnceOrder.ANY)}.
     *
     * @throws IllegalArgumentException if {@link #once(String, OnceOrder)} refuses the name or the request
     */
    public LeaseRequest once(String run) {
        return once(run, OnceOrder.ANY);
    }

    /**
     * Returns a copy that requests the lease for the run with this name. The lease is granted only while that run is
     * not done. The holder reports the outcome of the run by {@link Lease#recordRun(LeaseRunOutcome)}. A release
     * without an outcome leaves the run open.
     *
     * <p>So a run is done at most once, and it is started at least once as long as callers request it. If the holder
     * dies, the run is not done. With several keys, runs are recorded in the first key's item. The table remembers a
     * completed run for the manager's once-retention.
     *
     * @throws IllegalArgumentException if the name is null, blank, malformed or longer than 1,024 bytes of UTF-8
     * @throws IllegalArgumentException if the request has permits
     * @throws IllegalArgumentException with {@link OnceOrder#ANY}: if the key, {@code #run=} and the name together
     *     exceed 2,048 bytes, if there are more than 99 keys, or if the request is resumable
     */
    public LeaseRequest once(String run, OnceOrder order) {
        Checks.run(run, key());
        if (order == OnceOrder.ANY) {
            Checks.key(key() + Checks.RUN_MARK + run);
        }
        return copy(draft -> {
            draft.once = run;
            draft.growing = order == OnceOrder.GROWING;
        });
    }

    /**
     * Returns a copy that requests one of this many permits of the key. At most this number of callers hold a permit at
     * a time, across all processes. Each permit is a slot with a lease of its own: {@link Lease#slot()} returns its
     * number, and fencing tokens and condition checks belong to the slot.
     *
     * <p>All callers of a key should use the same number of permits. If the numbers differ, the largest one is the
     * limit. A lease of the key without permits does not exclude the permits.
     *
     * @throws IllegalArgumentException if the number is not from 1 to 100, or below {@link #permitsPerNode()}
     * @throws IllegalArgumentException if the request has several keys, a run or a hold, or is resumable
     * @throws IllegalArgumentException if the key of a slot would exceed 2,048 bytes
     */
    public LeaseRequest permits(int value) {
        Checks.permits(value, "permits", key());
        return copy(draft -> draft.permits = value);
    }

    /**
     * Returns a copy that limits the permits of this manager to this number, so that other processes get the rest. The
     * limit has an effect only with {@link #permits(int)}.
     *
     * @throws IllegalArgumentException if the number is not from 1 to 100, or is larger than the number of permits
     */
    public LeaseRequest permitsPerNode(int value) {
        Checks.permits(value, "permitsPerNode", key());
        return copy(draft -> draft.permitsPerNode = value);
    }

    /**
     * Returns a copy whose work saves its {@linkplain Lease#progress() progress}. If a holder dies or fails, the next
     * holder continues from the saved progress. The progress belongs to the requested run. Without a run, it is kept
     * across all executions until one of them succeeds. This setting costs no request. The item is kept for the
     * manager's once-retention after the end of a lease that was not released, or that leaves progress.
     *
     * @throws IllegalArgumentException if the request has several keys, permits or a run in
     *     {@linkplain OnceOrder#ANY any order}
     */
    public LeaseRequest resumable() {
        return copy(draft -> draft.resumable = true);
    }

    /** Returns the key; if there are several keys, the first in natural order. */
    public String key() {
        return values.keys.get(0);
    }

    /** Returns all keys in natural order; unmodifiable. */
    public List<String> keys() {
        return values.keys;
    }

    /** Returns the name in meters and traces; {@code null} if there is none. */
    public @Nullable String name() {
        return values.name;
    }

    /** Returns the ttl; {@code null} for the manager's ttl. */
    public @Nullable Duration ttl() {
        return values.ttl;
    }

    /**
     * Returns the interval between renewals; {@code null} for the manager's interval, or a third of the ttl if that is
     * shorter.
     */
    public @Nullable Duration heartbeatInterval() {
        return values.heartbeatInterval;
    }

    /** Returns how long to wait while another owner holds the lease; zero for no wait. */
    public Duration waitFor() {
        return values.waitFor;
    }

    /** Returns how long other owners are kept from the key after the acquire; zero for no hold. */
    public Duration holdAtLeast() {
        return values.holdAtLeast;
    }

    /** Returns how long other owners are kept from the key after the release; zero for no hold. */
    public Duration cooldown() {
        return values.cooldown;
    }

    /** Returns the longest validity of the lease; {@code null} for no limit. */
    public @Nullable Duration holdAtMost() {
        return values.holdAtMost;
    }

    /** Returns whether heartbeats do not renew the lease. */
    public boolean isPassive() {
        return values.passive;
    }

    /** Returns the name of the requested run; {@code null} if there is none. */
    public @Nullable String once() {
        return values.once;
    }

    /** Returns the order of the runs' names; meaningless without a run. */
    public OnceOrder onceOrder() {
        return values.growing ? OnceOrder.GROWING : OnceOrder.ANY;
    }

    /** Returns the number of permits; 0 for a lease that only one caller holds at a time. */
    public int permits() {
        return values.permits;
    }

    /** Returns the largest number of permits for one manager; 0 for no limit. */
    public int permitsPerNode() {
        return values.permitsPerNode;
    }

    /** Returns whether the work saves its progress. */
    public boolean isResumable() {
        return values.resumable;
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /** The values of a request. Changed only in a clone, before the clone belongs to a request. Not thread-safe. */
    private static final class Values implements Cloneable {

        final List<String> keys;

        @Nullable
        String name;

        @Nullable
        Duration ttl;

        @Nullable
        Duration heartbeatInterval;

        Duration waitFor = Duration.ZERO;
        Duration holdAtLeast = Duration.ZERO;
        Duration cooldown = Duration.ZERO;

        @Nullable
        Duration holdAtMost;

        boolean passive;

        @Nullable
        String once;

        boolean growing; // the order of the runs' names
        int permits; // 0: the lease is exclusive
        int permitsPerNode; // 0: no limit
        boolean resumable;

        /** Creates the values of a request without settings; {@code keys} is unmodifiable. */
        Values(List<String> keys) {
            this.keys = keys;
        }

        @Override
        public Values clone() {
            try {
                return (Values) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        /**
         * Checks the values against each other.
         *
         * @throws IllegalArgumentException if permits are combined with several keys, a run or a hold, or are fewer
         *     than {@code permitsPerNode}
         * @throws IllegalArgumentException if the items of the keys and of a run in any order do not fit into one
         *     transaction
         * @throws IllegalArgumentException if the next holder would not find the progress of a run
         */
        Values checked() {
            if (once != null && !growing && keys.size() == Checks.MAX_KEYS) {
                throw new IllegalArgumentException("Request of " + keys.size() + " keys for lease key "
                        + Text.quote(keys.get(0)) + " has run " + Text.quote(once) + " in any order, expected at most "
                        + (Checks.MAX_KEYS - 1) + " keys: the run has an item of its own");
            }
            if (resumable) {
                String why = "expected one item, whose acquire shows the progress of the holder before";
                refuseResumable(keys.size() > 1, "several keys", why);
                refuseResumable(permits > 0, "permits", why + ": the next permit may be another one");
                refuseResumable(once != null && !growing, "a run in any order", why + ": use OnceOrder.GROWING");
            }
            if (permits > 0) {
                refuse(keys.size() > 1, "several keys", "one key");
                refuse(once != null, "'once'", "no run: a run has one holder at a time");
                refuse(!holdAtLeast.isZero(), "'holdAtLeast'", "no hold: it would take a permit out of use");
                refuse(!cooldown.isZero(), "'cooldown'", "no hold: it would take a permit out of use");
                Checks.key(keys.get(0) + Checks.PERMIT_MARK + (permits - 1));
                if (permitsPerNode > permits) {
                    throw new IllegalArgumentException("permitsPerNode is " + permitsPerNode + " for lease key "
                            + Text.quote(keys.get(0)) + ", expected at most the " + permits + " permits");
                }
            }
            return this;
        }

        private void refuseResumable(boolean wrong, String seen, String expected) {
            if (wrong) {
                throw new IllegalArgumentException(
                        "Resumable request for lease key " + Text.quoteAll(keys) + " has " + seen + ", " + expected);
            }
        }

        private void refuse(boolean wrong, String seen, String expected) {
            if (wrong) {
                throw new IllegalArgumentException("Request of " + permits + " permits for lease key "
                        + Text.quoteAll(keys) + " has " + seen + ", expected " + expected);
            }
        }

        @Override
        public String toString() {
            return Text.record(
                    "LeaseRequest",
                    "keys, name, ttl, heartbeatInterval, waitFor, holdAtLeast, cooldown, holdAtMost, passive, once, onceOrder,"
                            + " permits, permitsPerNode, resumable",
                    keys,
                    name,
                    ttl,
                    heartbeatInterval,
                    waitFor,
                    holdAtLeast,
                    cooldown,
                    holdAtMost,
                    passive,
                    once,
                    growing ? "GROWING" : "ANY",
                    permits,
                    permitsPerNode,
                    resumable);
        }
    }
}
