package io.leasekit.engine;

import io.leasekit.ReleaseMode;
import io.leasekit.internal.Checks;
import io.leasekit.internal.Text;
import java.time.Duration;

/** A manager's settings, checked together. */
record LeaseSettings(
        String owner,
        Duration ttl,
        Duration heartbeatInterval,
        double atRiskFraction,
        Duration storeTimeout,
        Duration closeTimeout,
        ReleaseMode releaseMode,
        Duration retention,
        Duration onceRetention,
        Duration observationTime,
        int maxWaitersPerKey) {

    private static final Duration MIN_RETENTION = Duration.ofMinutes(15);
    private static final int MAX_OWNER = 1_024;

    LeaseSettings {
        if (owner.isBlank() || owner.length() > MAX_OWNER) {
            throw new IllegalArgumentException("owner is " + Text.quote(owner)
                    + ", expected a text with a visible character and at most " + MAX_OWNER + " characters");
        }
        Checks.ttl(ttl, "");
        Checks.heartbeat(heartbeatInterval, ttl, "");
        if (!(atRiskFraction > 0 && atRiskFraction < 1)) {
            throw new IllegalArgumentException(
                    "atRiskFraction is " + atRiskFraction + ", expected more than 0 and less than 1");
        }
        Checks.positive(storeTimeout, "storeTimeout", "");
        Checks.notNegative(closeTimeout, "closeTimeout", "");
        if (retention.compareTo(MIN_RETENTION) < 0) {
            throw new IllegalArgumentException("retention is " + retention + ", expected at least " + MIN_RETENTION
                    + ": a request applied late must still find the fencing token");
        }
        if (onceRetention.compareTo(retention) < 0) {
            throw new IllegalArgumentException(
                    "onceRetention is " + onceRetention + ", expected at least the retention of " + retention);
        }
        Checks.positive(observationTime, "observationTime", "");
        if (maxWaitersPerKey < 1) {
            throw new IllegalArgumentException("maxWaitersPerKey is " + maxWaitersPerKey + ", expected at least 1");
        }
    }
}
