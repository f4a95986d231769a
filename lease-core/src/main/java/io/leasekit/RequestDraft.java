package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a {@link LeaseRequest}, changed only while it is being built. */
final class RequestDraft implements Cloneable {

    final List<String> keys;
    @Nullable String name;
    @Nullable Duration ttl;
    @Nullable Duration heartbeatInterval;
    Duration waitFor = Duration.ZERO;
    Duration holdAtLeast = Duration.ZERO;
    Duration cooldown = Duration.ZERO;
    @Nullable Duration holdAtMost;
    boolean passive;
    @Nullable String once;
    OnceOrder onceOrder = OnceOrder.ANY;

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

    @Override
    public String toString() {
        return Text.record(
                "LeaseRequest",
                "keys, name, ttl, heartbeatInterval, waitFor, holdAtLeast, cooldown, holdAtMost, passive, once, onceOrder",
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
                onceOrder);
    }
}
