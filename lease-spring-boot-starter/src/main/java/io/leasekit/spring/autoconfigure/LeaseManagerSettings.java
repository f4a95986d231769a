package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.ReleaseMode;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one manager is made with, checked together.
 *
 * @param prefix what the names of its properties begin with
 * @param owner its owner's name; {@code null}: made of the application's name
 * @param heartbeatInterval the time between renewals; {@code null}: a third of the ttl
 * @param atRiskFraction the part of the ttl; {@code null}: a third
 */
record LeaseManagerSettings(
        String prefix,
        @Nullable String owner,
        Duration ttl,
        @Nullable Duration heartbeatInterval,
        Duration storeTimeout,
        Duration closeTimeout,
        Duration observationTime,
        int maxWaitersPerKey,
        @Nullable Double atRiskFraction,
        ReleaseMode releaseMode,
        Duration retention,
        Duration onceRetention,
        LeaseProperties.Table table,
        LeaseProperties.DynamoDb dynamodb) {

    private static final Duration MIN_TTL = Duration.ofSeconds(2);
    private static final Duration MAX_TTL = Duration.ofDays(365);
    private static final Duration MIN_RETENTION = Duration.ofMinutes(15);
    private static final int MAX_OWNER = 1_024;

    LeaseManagerSettings {
        Check check = new Check(prefix);
        check.that(isOwner(owner), "owner", owner, "a text with a visible character and at most 1024 characters");
        check.that(
                ttl.compareTo(MIN_TTL) >= 0 && ttl.compareTo(MAX_TTL) <= 0,
                "ttl",
                ttl,
                "between " + MIN_TTL + " and " + MAX_TTL);
        check.that(
                heartbeatInterval == null
                        || (isPositive(heartbeatInterval) && heartbeatInterval.compareTo(ttl.dividedBy(2)) <= 0),
                "heartbeat-interval",
                heartbeatInterval,
                "more than zero and at most half of '" + prefix + ".ttl', which is " + ttl);
        check.that(isPositive(storeTimeout), "store-timeout", storeTimeout, "more than zero");
        check.that(!closeTimeout.isNegative(), "close-timeout", closeTimeout, "zero or more");
        check.that(isPositive(observationTime), "observation-time", observationTime, "more than zero");
        check.that(maxWaitersPerKey >= 1, "max-waiters-per-key", maxWaitersPerKey, "at least 1");
        check.that(
                atRiskFraction == null || (atRiskFraction > 0 && atRiskFraction < 1),
                "at-risk-fraction",
                atRiskFraction,
                "more than 0 and less than 1");
        check.that(retention.compareTo(MIN_RETENTION) >= 0, "retention", retention, "at least " + MIN_RETENTION);
        check.that(
                onceRetention.compareTo(retention) >= 0,
                "once-retention",
                onceRetention,
                "at least '" + prefix + ".retention', which is " + retention);
        check.that(!table.name().isBlank(), "table.name", table.name(), "the name of a table");
        check.connection(dynamodb);
    }

    private static boolean isOwner(@Nullable String owner) {
        return owner == null || (!owner.isBlank() && owner.length() <= MAX_OWNER);
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    LeaseManagerBuilder applyTo(LeaseManagerBuilder builder) {
        if (owner != null) {
            builder.owner(owner);
        }
        if (heartbeatInterval != null) {
            builder.heartbeatInterval(heartbeatInterval);
        }
        if (atRiskFraction != null) {
            builder.atRiskFraction(atRiskFraction);
        }
        return builder.ttl(ttl)
                .storeTimeout(storeTimeout)
                .closeTimeout(closeTimeout)
                .observationTime(observationTime)
                .maxWaitersPerKey(maxWaitersPerKey)
                .releaseMode(releaseMode)
                .retention(retention)
                .onceRetention(onceRetention);
    }

    private record Check(String prefix) {

        void connection(LeaseProperties.DynamoDb dynamodb) {
            URI endpoint = dynamodb.endpoint();
            that(
                    endpoint == null || endpoint.getHost() != null,
                    "dynamodb.endpoint",
                    endpoint,
                    "an address such as http://localhost:8000");
            boolean noAccessKey = dynamodb.accessKey() == null;
            that(
                    noAccessKey == (dynamodb.secretKey() == null),
                    noAccessKey ? "dynamodb.access-key" : "dynamodb.secret-key",
                    null,
                    "a value, since the other half of the credentials is set");
        }

        void that(boolean valid, String property, @Nullable Object value, String expected) {
            if (!valid) {
                String name = prefix + "." + property;
                throw new LeaseSetupException(
                        "Property '" + name + "' is '" + value + "', expected " + expected,
                        "Correct the property '" + name + "'.",
                        null);
            }
        }
    }
}
