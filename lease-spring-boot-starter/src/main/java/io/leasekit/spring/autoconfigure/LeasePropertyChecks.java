package io.leasekit.spring.autoconfigure;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks the properties of one manager against each other, so that the error at start-up names the property and not what it is
 * called in Java. The limits are those that the builder of managers has too. A value that is not set is the builder's.
 *
 * @param prefix what the names of the properties begin with
 */
record LeasePropertyChecks(String prefix) {

    private static final Duration MIN_TTL = Duration.ofSeconds(2);
    private static final Duration MAX_TTL = Duration.ofDays(365);
    private static final Duration MIN_RETENTION = Duration.ofMinutes(15);
    private static final int MAX_OWNER = 1_024;

    /** @throws LeaseSetupException if a value is out of its range or does not fit another one */
    void manager(LeaseManagerProperties manager) {
        that(
                "owner",
                manager.owner(),
                LeasePropertyChecks::isOwner,
                "a text with a visible character and at most " + MAX_OWNER + " characters");
        that(
                "ttl",
                manager.ttl(),
                ttl -> isAtLeast(ttl, MIN_TTL) && isAtLeast(MAX_TTL, ttl),
                "between " + MIN_TTL + " and " + MAX_TTL);
        heartbeat(manager.heartbeatInterval(), manager.ttl());
        that("store-timeout", manager.storeTimeout(), LeasePropertyChecks::isPositive, "more than zero");
        that("close-timeout", manager.closeTimeout(), timeout -> !timeout.isNegative(), "zero or more");
        that("observation-time", manager.observationTime(), LeasePropertyChecks::isPositive, "more than zero");
        that("max-waiters-per-key", manager.maxWaitersPerKey(), waiters -> waiters >= 1, "at least 1");
        that(
                "at-risk-fraction",
                manager.atRiskFraction(),
                fraction -> fraction > 0 && fraction < 1,
                "more than 0 and less than 1");
        that(
                "retention",
                manager.retention(),
                retention -> isAtLeast(retention, MIN_RETENTION),
                "at least " + MIN_RETENTION);
        onceRetention(manager.onceRetention(), manager.retention());
    }

    private void heartbeat(@Nullable Duration interval, @Nullable Duration ttl) {
        that(
                "heartbeat-interval",
                interval,
                value -> isPositive(value) && (ttl == null || isAtLeast(ttl.dividedBy(2), value)),
                "more than zero and at most half of '" + prefix + ".ttl', which is " + ttl);
    }

    private void onceRetention(@Nullable Duration onceRetention, @Nullable Duration retention) {
        that(
                "once-retention",
                onceRetention,
                value -> retention == null || isAtLeast(value, retention),
                "at least '" + prefix + ".retention', which is " + retention);
    }

    /** @throws LeaseSetupException if the table has no name */
    void table(LeaseProperties.Table table) {
        that("table.name", table.name(), name -> !name.isBlank(), "the name of a table");
    }

    /** @throws LeaseSetupException if the address is none, or one half of the credentials is missing */
    void connection(LeaseProperties.DynamoDb dynamodb) {
        that(
                "dynamodb.endpoint",
                dynamodb.endpoint(),
                endpoint -> endpoint.getHost() != null,
                "an address such as http://localhost:8000");
        boolean noAccessKey = dynamodb.accessKey() == null;
        if (noAccessKey != (dynamodb.secretKey() == null)) {
            throw invalid(
                    noAccessKey ? "dynamodb.access-key" : "dynamodb.secret-key",
                    null,
                    "a value, since the other half of the credentials is set");
        }
    }

    private <T> void that(String property, @Nullable T value, Predicate<T> valid, String expected) {
        if (value != null && !valid.test(value)) {
            throw invalid(property, value, expected);
        }
    }

    private LeaseSetupException invalid(String property, @Nullable Object value, String expected) {
        String name = prefix + "." + property;
        return new LeaseSetupException(
                "Property '" + name + "' is '" + value + "', expected " + expected,
                "Correct the property '" + name + "'.",
                null);
    }

    private static boolean isOwner(String owner) {
        return !owner.isBlank() && owner.length() <= MAX_OWNER;
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private static boolean isAtLeast(Duration duration, Duration limit) {
        return duration.compareTo(limit) >= 0;
    }
}
