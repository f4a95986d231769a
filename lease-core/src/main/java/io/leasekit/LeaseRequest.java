package io.leasekit;

import io.leasekit.internal.Checks;
import io.leasekit.internal.Text;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a {@link LeaseManager}: a key, or several, and, where they differ from the manager's, its terms. Immutable: the
 * methods with a parameter return a changed copy. Thread-safe.
 */
public final class LeaseRequest {

    /** To wait without an end: until the lease is acquired, the wait is cancelled or interrupted, or the manager closes. */
    public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

    private final List<String> keys;
    private final @Nullable String name;
    private final @Nullable Duration ttl;
    private final @Nullable Duration heartbeatInterval;
    private final Duration waitFor;
    private final Duration holdAtLeast;
    private final Duration cooldown;
    private final @Nullable Duration holdAtMost;
    private final @Nullable String once;
    private final OnceOrder onceOrder;

    private LeaseRequest(Draft draft) {
        this.keys = draft.keys;
        this.name = draft.name;
        this.ttl = draft.ttl;
        this.heartbeatInterval = draft.heartbeatInterval;
        this.waitFor = draft.waitFor;
        this.holdAtLeast = draft.holdAtLeast;
        this.cooldown = draft.cooldown;
        this.holdAtMost = draft.holdAtMost;
        this.once = draft.once;
        this.onceOrder = draft.onceOrder;
    }

    /** A request that is being made. */
    private static final class Draft {

        private final List<String> keys;
        private @Nullable String name;
        private @Nullable Duration ttl;
        private @Nullable Duration heartbeatInterval;
        private Duration waitFor = Duration.ZERO;
        private Duration holdAtLeast = Duration.ZERO;
        private Duration cooldown = Duration.ZERO;
        private @Nullable Duration holdAtMost;
        private @Nullable String once;
        private OnceOrder onceOrder = OnceOrder.ANY;

        Draft(List<String> keys) {
            this.keys = keys;
        }

        Draft(LeaseRequest request) {
            this.keys = request.keys;
            this.name = request.name;
            this.ttl = request.ttl;
            this.heartbeatInterval = request.heartbeatInterval;
            this.waitFor = request.waitFor;
            this.holdAtLeast = request.holdAtLeast;
            this.cooldown = request.cooldown;
            this.holdAtMost = request.holdAtMost;
            this.once = request.once;
            this.onceOrder = request.onceOrder;
        }
    }

    private LeaseRequest copy(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new LeaseRequest(draft);
    }

    /**
     * Returns a request for this key on the manager's terms, without waiting.
     *
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8 or contains {@code #run=}
     */
    public static LeaseRequest of(String key) {
        Checks.leaseKey(key);
        return of(List.of(key));
    }

    /**
     * Returns a request for one lease of all these keys, as {@link #ofAll(Collection)} does.
     *
     * @throws IllegalArgumentException if there is no key or there are more than 100, if one is null, blank, longer than 2,048
     *     bytes of UTF-8 or contains {@code #run=}, or if one is named twice
     */
    public static LeaseRequest ofAll(String... keys) {
        return ofAll(Arrays.asList(keys));
    }

    /**
     * Returns a request for one lease of all these keys, on the manager's terms, without waiting. It is acquired all or not at
     * all, by one transaction, renewed, released and lost as one, and has one fencing token. Callers that name the same keys in
     * different order never wait for each other in a circle: while one waits it holds none of them. So it may wait for longer
     * than those who want one key, until all are free at once; and it takes its turn in no queue of its process.
     *
     * <p>With one key it is {@link #of(String)}.
     *
     * @throws IllegalArgumentException if there is no key or there are more than 100, if one is null, blank, longer than 2,048
     *     bytes of UTF-8 or contains {@code #run=}, or if one is named twice
     */
    public static LeaseRequest ofAll(Collection<String> keys) {
        return of(Checks.keys(keys));
    }

    private static LeaseRequest of(List<String> keys) {
        return new LeaseRequest(new Draft(keys));
    }

    /**
     * Returns a copy that goes by this name in meters and traces. Leases of one kind share one name: there should be few of
     * them in an application, whereas of keys there may be any number.
     *
     * @throws IllegalArgumentException if it is blank or longer than 128 characters
     */
    public LeaseRequest named(String value) {
        Checks.name(value, key());
        return copy(draft -> draft.name = value);
    }

    /**
     * Returns a copy with another ttl: how long one grant or renewal lasts.
     *
     * @throws IllegalArgumentException if it is shorter than 2 s or longer than 365 days
     */
    public LeaseRequest ttl(Duration value) {
        Checks.ttl(value, key());
        return copy(draft -> draft.ttl = value);
    }

    /**
     * Returns a copy with another interval between renewals. Without one it is the manager's, or a third of the ttl if
     * that is shorter.
     *
     * @throws IllegalArgumentException if it is zero or negative
     */
    public LeaseRequest heartbeatInterval(Duration value) {
        Checks.positive(value, "heartbeatInterval", key());
        return copy(draft -> draft.heartbeatInterval = value);
    }

    /**
     * Returns a copy that waits so long for the lease while another holds it; zero does not wait, {@link #UNLIMITED} for ever.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public LeaseRequest waitFor(Duration value) {
        Checks.notNegative(value, "waitFor", key());
        return copy(draft -> draft.waitFor = value);
    }

    /**
     * Returns a copy that keeps others from the key for so long, counted from the acquire, even when the work ends sooner.
     * It is a schedule, not exclusion: it ends between 1 s before and 2 s after the time asked, and never earlier than
     * about 5 to 8 s after the acquire. No process has to stay alive for it.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public LeaseRequest holdAtLeast(Duration value) {
        Checks.notNegative(value, "holdAtLeast", key());
        return copy(draft -> draft.holdAtLeast = value);
    }

    /**
     * Returns a copy that keeps others from the key for so long, counted from the release. As exact as
     * {@link #holdAtLeast(Duration)}.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public LeaseRequest cooldown(Duration value) {
        Checks.notNegative(value, "cooldown", key());
        return copy(draft -> draft.cooldown = value);
    }

    /**
     * Returns a copy that is renewed for so long at most, counted from the acquire; then it is lost with
     * {@link LeaseLossReason#HOLD_LIMIT} and ends with its ttl.
     *
     * @throws IllegalArgumentException if it is zero or negative
     */
    public LeaseRequest holdAtMost(Duration value) {
        Checks.positive(value, "holdAtMost", key());
        return copy(draft -> draft.holdAtMost = value);
    }

    /**
     * Returns a copy for one run of the work, by its name, in any order of runs: as {@link #once(String, OnceOrder)} with
     * {@link OnceOrder#ANY}.
     *
     * @throws IllegalArgumentException if the name is blank or longer than 1,024 bytes of UTF-8, or if it has, with the key and
     *     {@code #run=} before it, more than 2,048 bytes
     */
    public LeaseRequest once(String run) {
        return once(run, OnceOrder.ANY);
    }

    /**
     * Returns a copy for one run of the work, which is granted only while that run is not done. Whoever holds the lease says by
     * {@link Lease#recordRun(LeaseRunOutcome)} how the run ended; a release without that leaves it open. So a run is done at most
     * once, and begun at least once for as long as somebody asks for it: a holder that dies half-way has not done it. Of
     * several keys the first keeps the runs.
     *
     * <p>That it is done is kept for the manager's once-retention. Item TTL may forget it earlier: with a
     * {@link #holdAtLeast(Duration)} or {@link #cooldown(Duration)} after their end, and after a crash of a later holder.
     *
     * @throws IllegalArgumentException if the name is blank or longer than 1,024 bytes of UTF-8, or, in any order, if it has, with
     *     the key and {@code #run=} before it, more than 2,048 bytes
     */
    public LeaseRequest once(String run, OnceOrder order) {
        Checks.run(run, key());
        if (order == OnceOrder.ANY) {
            Checks.key(key() + Checks.RUN_MARK + run);
        }
        return copy(draft -> {
            draft.once = run;
            draft.onceOrder = order;
        });
    }

    /** Returns the key, of several the first in their order. */
    public String key() {
        return keys.get(0);
    }

    /** Returns all keys, in their natural order; unmodifiable. */
    public List<String> keys() {
        return keys;
    }

    /** Returns what the lease is called in meters and traces; {@code null}: nothing. */
    public @Nullable String name() {
        return name;
    }

    /** Returns the ttl; {@code null}: the manager's. */
    public @Nullable Duration ttl() {
        return ttl;
    }

    /** Returns the interval between renewals; {@code null}: the manager's, or a third of the ttl if that is shorter. */
    public @Nullable Duration heartbeatInterval() {
        return heartbeatInterval;
    }

    /** Returns how long to wait while another holds the lease; zero: not at all. */
    public Duration waitFor() {
        return waitFor;
    }

    /** Returns how long others are kept from the key after the acquire; zero: only while it is held. */
    public Duration holdAtLeast() {
        return holdAtLeast;
    }

    /** Returns how long others are kept from the key after the release; zero: not at all. */
    public Duration cooldown() {
        return cooldown;
    }

    /** Returns for how long the lease is renewed at most; {@code null}: without a limit. */
    public @Nullable Duration holdAtMost() {
        return holdAtMost;
    }

    /** Returns the name of the run that the lease is asked for; {@code null}: it is for no run in particular. */
    public @Nullable String once() {
        return once;
    }

    /** Returns how the names of runs follow each other; without a run it says nothing. */
    public OnceOrder onceOrder() {
        return onceOrder;
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseRequest",
                "keys, name, ttl, heartbeatInterval, waitFor, holdAtLeast, cooldown, holdAtMost, once, onceOrder",
                keys,
                name,
                ttl,
                heartbeatInterval,
                waitFor.equals(UNLIMITED) ? "unlimited" : waitFor,
                holdAtLeast,
                cooldown,
                holdAtMost,
                once,
                onceOrder);
    }
}
