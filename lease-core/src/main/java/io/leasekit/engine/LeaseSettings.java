package io.leasekit.engine;

import io.leasekit.ReleaseMode;
import io.leasekit.limits.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of a manager, checked together. */
record LeaseSettings(
        String owner,
        @Nullable String application,
        boolean keySharing,
        Duration ttl,
        Duration heartbeatInterval,
        Duration storeTimeout,
        Duration closeTimeout,
        ReleaseMode releaseMode,
        Duration retention,
        Duration onceRetention,
        int runHistory,
        Duration observationTime,
        int maxWaitersPerKey,
        boolean releaseInBackground,
        boolean pauses) {

    LeaseSettings {
        Checks.OWNER.check("owner", owner);
        if (application != null) {
            Checks.APPLICATION.check("application", application);
        }
        Checks.TTL.check("ttl", ttl);
        Checks.heartbeat(heartbeatInterval, ttl, "");
        Checks.POSITIVE.check("storeTimeout", storeTimeout);
        Checks.NOT_NEGATIVE.check("closeTimeout", closeTimeout);
        Checks.RETENTION.check("retention", retention);
        Checks.onceRetention(onceRetention, retention);
        Checks.RUN_HISTORY.check("runHistory", runHistory);
        Checks.MAX_WAITERS.check("maxWaitersPerKey", maxWaitersPerKey);
    }
}
