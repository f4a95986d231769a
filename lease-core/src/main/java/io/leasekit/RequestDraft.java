package io.leasekit;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a {@link LeaseRequest}. Changed only while it is being built, then safe for any thread. */
final class RequestDraft {

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

    RequestDraft(List<String> keys) {
        this.keys = keys;
    }

    RequestDraft(RequestDraft other) {
        this.keys = other.keys;
        this.name = other.name;
        this.ttl = other.ttl;
        this.heartbeatInterval = other.heartbeatInterval;
        this.waitFor = other.waitFor;
        this.holdAtLeast = other.holdAtLeast;
        this.cooldown = other.cooldown;
        this.holdAtMost = other.holdAtMost;
        this.passive = other.passive;
        this.once = other.once;
        this.onceOrder = other.onceOrder;
    }
}
