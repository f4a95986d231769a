package io.leasekit.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a request for a lease. Only a clone that no request has yet is changed. Not thread-safe. */
@Internal
public final class RequestValues implements Cloneable {

    /** An unlimited wait. */
    public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

    public final List<String> keys;
    public @Nullable String name;
    public @Nullable Duration ttl;
    public @Nullable Duration heartbeatInterval;
    public Duration waitFor = Duration.ZERO;
    public Duration holdAtLeast = Duration.ZERO;
    public Duration cooldown = Duration.ZERO;
    public @Nullable Duration holdAtMost;
    public boolean passive;
    public @Nullable String once;
    public boolean growing; // the order of runs
    public int permits; // 0: the lease is exclusive
    public int permitsPerNode; // 0: all

    /** Of a request without any settings; {@code keys} is unmodifiable. */
    public RequestValues(List<String> keys) {
        this.keys = keys;
    }

    @Override
    public RequestValues clone() {
        try {
            return (RequestValues) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Checks the values against each other.
     *
     * @throws IllegalArgumentException if permits are combined with several keys, a run or a hold, if there are fewer
     *     than for one node, or if the items of the keys and of a run in any order do not fit into one transaction
     */
    public RequestValues checked() {
        if (once != null && !growing && keys.size() == Checks.MAX_KEYS) {
            throw new IllegalArgumentException("Request of " + keys.size() + " keys for lease key "
                    + Text.quote(keys.get(0)) + " has run " + Text.quote(once) + " in any order, expected at most "
                    + (Checks.MAX_KEYS - 1) + " keys: the run has an item of its own");
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

    private void refuse(boolean wrong, String seen, String expected) {
        if (wrong) {
            throw new IllegalArgumentException("Request of " + permits + " permits for lease key " + Text.quoteAll(keys)
                    + " has " + seen + ", expected " + expected);
        }
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseRequest",
                "keys, name, ttl, heartbeatInterval, waitFor, holdAtLeast, cooldown, holdAtMost, passive, once, onceOrder,"
                        + " permits, permitsPerNode",
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
                permitsPerNode);
    }
}
