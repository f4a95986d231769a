package io.leasekit.kernel;

import io.leasekit.OwnerNames;
import io.leasekit.ReleaseMode;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The settings of a manager, with their defaults. The settings do not change after {@link #checked}. */
@Internal
public final class LeaseSettings {

    private static final Duration ONCE_RETENTION = Duration.ofDays(400);

    @Nullable
    public String owner;

    @Nullable
    public String application;

    public boolean keySharing;
    public Duration ttl = Duration.ofSeconds(60);

    @Nullable
    public Duration heartbeatInterval;

    public Duration storeTimeout = Duration.ofSeconds(6);
    public Duration closeTimeout = Duration.ofSeconds(30);
    public ReleaseMode releaseMode = ReleaseMode.RETAIN;
    public Duration retention = Duration.ofDays(7);

    @Nullable
    public Duration onceRetention;

    public int runHistory;
    public Duration observationTime = Duration.ofMinutes(5);
    public int maxWaitersPerKey = 1_000;
    public boolean releaseInBackground = true;
    public boolean pauses;

    public LeaseSettings checked() {
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

    public String owner() {
        return Objects.requireNonNull(owner);
    }

    public Duration heartbeatInterval() {
        return heartbeatInterval == null ? ttl.dividedBy(3) : heartbeatInterval;
    }

    public Duration onceRetention() {
        if (onceRetention != null) {
            return onceRetention;
        }
        return retention.compareTo(ONCE_RETENTION) > 0 ? retention : ONCE_RETENTION;
    }
}
