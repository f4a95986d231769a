package io.leasekit.engine;

import io.leasekit.OwnerNames;
import io.leasekit.ReleaseMode;
import io.leasekit.limits.Checks;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a manager, with their defaults. {@link EngineBuilder} sets the settings. The settings do not change
 * after {@link #checked}.
 */
final class LeaseSettings {

    private static final Duration ONCE_RETENTION = Duration.ofDays(400);

    @Nullable
    String owner;

    @Nullable
    String application;

    boolean keySharing;
    Duration ttl = Duration.ofSeconds(60);

    @Nullable
    Duration heartbeatInterval;

    Duration storeTimeout = Duration.ofSeconds(6);
    Duration closeTimeout = Duration.ofSeconds(30);
    ReleaseMode releaseMode = ReleaseMode.RETAIN;
    Duration retention = Duration.ofDays(7);

    @Nullable
    Duration onceRetention;

    int runHistory;
    Duration observationTime = Duration.ofMinutes(5);
    int maxWaitersPerKey = 1_000;
    boolean releaseInBackground = true;
    boolean pauses;

    /** Checks all settings. If no owner is set, generates an owner name. */
    LeaseSettings checked() {
        if (application != null) {
            Checks.APPLICATION.check("application", application);
        }
        owner = owner == null ? OwnerNames.of(application == null ? "java" : application) : owner;
        Checks.OWNER.check("owner", owner);
        Checks.TTL.check("ttl", ttl);
        Checks.heartbeat(heartbeatInterval(), ttl, "");
        Checks.POSITIVE.check("storeTimeout", storeTimeout);
        Checks.NOT_NEGATIVE.check("closeTimeout", closeTimeout);
        Checks.RETENTION.check("retention", retention);
        Checks.onceRetention(onceRetention(), retention);
        Checks.RUN_HISTORY.check("runHistory", runHistory);
        Checks.MAX_WAITERS.check("maxWaitersPerKey", maxWaitersPerKey);
        return this;
    }

    String owner() {
        return Objects.requireNonNull(owner);
    }

    Duration heartbeatInterval() {
        return heartbeatInterval == null ? ttl.dividedBy(3) : heartbeatInterval;
    }

    Duration onceRetention() {
        if (onceRetention != null) {
            return onceRetention;
        }
        return retention.compareTo(ONCE_RETENTION) > 0 ? retention : ONCE_RETENTION;
    }
}
