package io.leasekit;

import io.leasekit.internal.Checks;
import io.leasekit.internal.Text;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a {@link LeaseRequest}, changed only while it is being built. */
final class RequestDraft implements Cloneable {

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

    OnceOrder onceOrder = OnceOrder.ANY;
    int permits;
    int permitsPerNode;

    RequestDraft(List<String> keys) {
        this.keys = keys;
    }

    @Override
    protected RequestDraft clone() {
        try {
            return (RequestDraft) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks the values against each other. */
    RequestDraft checked() {
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
                "keys, name, ttl, heartbeatInterval, waitFor, holdAtLeast, cooldown, holdAtMost, passive, once, onceOrder, permits, permitsPerNode",
                keys,
                name,
                ttl,
                heartbeatInterval,
                waitFor.equals(LeaseRequest.UNLIMITED) ? "unlimited" : waitFor,
                holdAtLeast,
                cooldown,
                holdAtMost,
                passive,
                once,
                onceOrder,
                permits,
                permitsPerNode);
    }
}
