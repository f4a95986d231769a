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
 * A request for a lease: one or several keys, and the settings that differ from the manager's settings. Immutable: the
 * methods that change a setting return a changed copy. Thread-safe.
 */
public final class LeaseRequest {

    /**
     * A wait without a time limit, for {@link #waitFor(Duration)}. The wait ends when the lease is acquired, when the
     * wait is cancelled or interrupted, or when the manager closes.
     */
    public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

    private final Values values;

    private LeaseRequest(Values values) {
        this.values = values;
    }

    private LeaseRequest copy(Consumer<Values> change) {
        Values draft = values.clone();
        change.accept(draft);
        return new LeaseRequest(draft.checked());
    }

    /**
     * Returns a request for this key, with the manager's settings and without waiting.
     *
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8, or contains an
     *     unpaired surrogate
     * @throws IllegalArgumentException if the key contains {@code #run=} or {@code #permit=}, begins with
     *     {@code #pauses} or ends with {@code #permissions}
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
     * transaction acquires all keys or none. A lease of several keys is renewed, released and lost as a whole, and has
     * one fencing token. With a single key, this method returns the same request as {@link #of(String)}.
     *
     * <p>A caller that waits for several keys gets the lease when all the keys are free at the same time. A waiting
     * caller holds none of its keys, so callers that name keys in different orders cannot deadlock. Callers that wait
     * for several keys do not join the queue of waiters in their process.
     *
     * @throws IllegalArgumentException if there is no key or more than 100 keys, if a key is named twice, or if
     *     {@link #of} refuses a key
     */
    public static LeaseRequest ofAll(Collection<String> keys) {
        return new LeaseRequest(new Values(Checks.keys(keys)));
    }

    /**
     * Returns a copy with this name for meters and traces. Use one name for all leases of one kind: an application may
     * use any number of keys, but should use few names.
     *
     * @throws IllegalArgumentException if the name is null, blank, longer than 128 characters, or contains an unpaired
     *     surrogate
     */
    public LeaseRequest named(String value) {
        Checks.name(value, key());
        return copy(draft -> draft.name = value);
    }

    /**
     * Returns a copy with this ttl: the time for which a grant or a renewal makes the lease valid.
     *
     * @throws IllegalArgumentException if the ttl is shorter than 2 s or longer than 365 days
     */
    public LeaseRequest ttl(Duration value) {
        Checks.ttl(value, key());
        return copy(draft -> draft.ttl = value);
    }

    /**
     * Returns a copy with this interval between renewals. The acquire fails if the heartbeat interval is longer than
     * half of the ttl.
     *
     * @throws IllegalArgumentException if the interval is zero or negative
     */
    public LeaseRequest heartbeatInterval(Duration value) {
        Checks.positive(value, "heartbeatInterval", key());
        return copy(draft -> draft.heartbeatInterval = value);
    }

    /**
     * Returns a copy with this limit of the acquire's wait. An acquire waits while another owner holds the lease or the
     * key is paused. If the time is zero, the acquire does not wait. With {@link #UNLIMITED}, the acquire waits without
     * a time limit.
     *
     * @throws IllegalArgumentException if the wait is negative
     */
    public LeaseRequest waitFor(Duration value) {
        Checks.notNegative(value, "waitFor", key());
        return copy(draft -> draft.waitFor = value);
    }

    /**
     * Returns a copy with this hold: the key stays taken until this time has passed since the acquire, even if the
     * lease is released earlier. Use {@code holdAtLeast} for scheduling, not for mutual exclusion.
     *
     * <p>A hold of less than about 5 s usually ends on time, because this process delays the release until the hold
     * ends. If the process dies before it sends the delayed release, the key becomes free when the lease expires.
     *
     * <p>A longer hold is written to the table. A short hold is written to the table if the lease could end before the
     * hold. A short hold is also written to the table if the lease was lost, if the release records a run, or if
     * {@link LeaseManagerBuilder#releaseInBackground} is {@code false}. A hold in the table lasts even if the process
     * dies. The end of a hold in the table may be 2 s late, or early by up to 1 s plus the duration of a request. Even
     * a short hold in the table lasts until about 5 to 8 s after the acquire.
     *
     * @throws IllegalArgumentException if the time is negative, or the request has permits
     */
    public LeaseRequest holdAtLeast(Duration value) {
        Checks.notNegative(value, "holdAtLeast", key());
        return copy(draft -> draft.holdAtLeast = value);
    }

    /**
     * Returns a copy with this cooldown: after the release, no owner can acquire the key before this time has passed.
     * The end of a cooldown is as exact as the end of a {@link #holdAtLeast(Duration)}. A cooldown may end 1 s early,
     * so a cooldown of 1 s may have no effect.
     *
     * @throws IllegalArgumentException if the time is negative, or the request has permits
     */
    public LeaseRequest cooldown(Duration value) {
        Checks.notNegative(value, "cooldown", key());
        return copy(draft -> draft.cooldown = value);
    }

    /**
     * Returns a copy that limits the validity of the lease to this time after the acquire. Time during which this
     * machine was suspended counts towards the limit, exact to about 4 s. When {@code holdAtMost} has passed since the
     * acquire, the lease is lost with {@link LeaseLossReason#HOLD_LIMIT}. Other owners can acquire the key about 4 s
     * after the limit was reached. Even with a very short limit, new waiters cannot acquire the key in the first 4 to
     * 5.5 s after the acquire.
     *
     * @throws IllegalArgumentException if the limit is zero or negative
     */
    public LeaseRequest holdAtMost(Duration value) {
        Checks.positive(value, "holdAtMost", key());
        return copy(draft -> draft.holdAtMost = value);
    }

    /**
     * Returns a copy for a passive lease, which heartbeats do not renew. A passive lease ends one ttl after its
     * acquire, unless a call of {@link Lease#extend(Duration)} moves this end. A passive lease that was not released
     * before its end is lost with {@link LeaseLossReason#EXPIRED}, without an earlier {@link LeaseEvent.AtRisk}. If the
     * process dies, other owners wait until the passive lease ends. After a clock jump, the manager sends one renewal
     * to check that a passive lease is still held, without moving its end. For a passive lease, the heartbeat interval
     * has no effect.
     */
    public LeaseRequest passive() {
        return copy(draft -> draft.passive = true);
    }

    /**
     * Returns a copy that requests the lease for the run with this name, as {@code once(run, OnceOrder.ANY)} does.
     *
     * @throws IllegalArgumentException if {@link #once(String, OnceOrder)} refuses the name or the request
     */
    public LeaseRequest once(String run) {
        return once(run, OnceOrder.ANY);
    }

    /**
     * Returns a copy that requests the lease for the run with this name. The lease is granted only if the named run is
     * not done yet. The holder reports the outcome of the run by {@link Lease#recordRun(LeaseRunOutcome)}. If the lease
     * is released without an outcome, the run is not done.
     *
     * <p>If callers repeat the request until the run is done, the run is started at least once. If the holder dies, the
     * run does not count as done. If the request has several keys, the item of the first key records the runs. A
     * completed run stays recorded in the table for the manager's
     * {@linkplain LeaseManagerBuilder#onceRetention once-retention}.
     *
     * @throws IllegalArgumentException if the name is null, blank, longer than 1,024 bytes of UTF-8, or contains an
     *     unpaired surrogate
     * @throws IllegalArgumentException if the request has permits
     * @throws IllegalArgumentException if the order is {@link OnceOrder#ANY}, and the request has more than 99 keys or
     *     is resumable
     * @throws IllegalArgumentException if the order is {@link OnceOrder#ANY}, and the key, {@code #run=} and the name
     *     together are longer than 2,048 bytes of UTF-8
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
     * Returns a copy that requests one of the permits of the key. At most {@code value} callers, in all processes
     * together, hold a permit of the key at the same time. Each permit is a numbered slot with a separate lease, and
     * {@link Lease#slot()} returns the number of the slot. Fencing tokens grow within each slot; tokens of different
     * slots cannot be compared. A {@link Lease#conditionCheck()} checks only the lease of its own slot.
     *
     * <p>All callers of a key should request the same number of permits. If callers request different numbers of
     * permits, the largest number is the limit. Permits of a key do not exclude an ordinary lease of the same key.
     *
     * @throws IllegalArgumentException if the number is not from 1 to 100, or is less than {@link #permitsPerNode()}
     * @throws IllegalArgumentException if the request has several keys, a run, {@code holdAtLeast} or {@code cooldown},
     *     or if the request is resumable
     * @throws IllegalArgumentException if the key of a slot would exceed 2,048 bytes
     */
    public LeaseRequest permits(int value) {
        Checks.permits(value, "permits", key());
        return copy(draft -> draft.permits = value);
    }

    /**
     * Returns a copy that limits how many permits of the key this manager holds, and so leaves permits for other
     * processes. If the request has no {@link #permits(int)}, {@code permitsPerNode} has no effect.
     *
     * @throws IllegalArgumentException if the number is not from 1 to 100, or is larger than the number of permits
     */
    public LeaseRequest permitsPerNode(int value) {
        Checks.permits(value, "permitsPerNode", key());
        return copy(draft -> draft.permitsPerNode = value);
    }

    /**
     * Returns a copy for a resumable lease: the work under the lease can save its
     * {@linkplain Lease#progress() progress}. If a holder dies or its work fails, the next holder continues from the
     * saved progress. Only holders that request the same run see the progress. If the request names no run, the
     * progress stays in the table until the work succeeds. Saving progress with heartbeats causes no additional
     * request. If a resumable lease leaves progress or ends without a release, its item stays in the table for the
     * manager's {@linkplain LeaseManagerBuilder#onceRetention once-retention}.
     *
     * @throws IllegalArgumentException if the request has several keys, permits or a run in
     *     {@linkplain OnceOrder#ANY any order}
     */
    public LeaseRequest resumable() {
        return copy(draft -> draft.resumable = true);
    }

    /** Returns the key. If the request has several keys, returns the first key in natural order. */
    public String key() {
        return values.keys.get(0);
    }

    /** Returns all keys in natural order, as an unmodifiable list. */
    public List<String> keys() {
        return values.keys;
    }

    /** Returns the name for meters and traces; {@code null} if the request has no name. */
    public @Nullable String name() {
        return values.name;
    }

    /** Returns the ttl; {@code null} for the manager's ttl. */
    public @Nullable Duration ttl() {
        return values.ttl;
    }

    /**
     * Returns the interval between renewals. {@code null} stands for the manager's interval or a third of the request's
     * ttl, whichever is shorter.
     */
    public @Nullable Duration heartbeatInterval() {
        return values.heartbeatInterval;
    }

    /** Returns how long the acquire waits while another owner holds the lease; zero if the acquire does not wait. */
    public Duration waitFor() {
        return values.waitFor;
    }

    /** Returns the time after the acquire during which other owners cannot acquire the key; zero by default. */
    public Duration holdAtLeast() {
        return values.holdAtLeast;
    }

    /** Returns the time after the release during which other owners cannot acquire the key; zero by default. */
    public Duration cooldown() {
        return values.cooldown;
    }

    /** Returns the longest validity of the lease; {@code null} for no limit. */
    public @Nullable Duration holdAtMost() {
        return values.holdAtMost;
    }

    /** Returns whether the lease is passive: heartbeats do not renew it. */
    public boolean isPassive() {
        return values.passive;
    }

    /** Returns the name of the requested run; {@code null} if the request names no run. */
    public @Nullable String once() {
        return values.once;
    }

    /** Returns the order of the run names. The order has no meaning if the request names no run. */
    public OnceOrder onceOrder() {
        return values.growing ? OnceOrder.GROWING : OnceOrder.ANY;
    }

    /** Returns the number of permits of the key; 0 for an exclusive lease. */
    public int permits() {
        return values.permits;
    }

    /** Returns how many permits of the key one manager may hold at a time; 0 for no limit. */
    public int permitsPerNode() {
        return values.permitsPerNode;
    }

    /** Returns whether the work can save its progress. */
    public boolean isResumable() {
        return values.resumable;
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /** The values of one request. Only a copy that belongs to no request yet is changed. Not thread-safe. */
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

        boolean growing; // OnceOrder.GROWING
        int permits; // 0: the lease is exclusive
        int permitsPerNode; // 0: no limit
        boolean resumable;

        /** The caller must pass an unmodifiable list. */
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
