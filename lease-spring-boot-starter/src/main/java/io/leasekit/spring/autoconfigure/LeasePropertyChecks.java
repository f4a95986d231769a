package io.leasekit.spring.autoconfigure;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.net.URI;
import java.net.URISyntaxException;
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

    private static final String WELL_FORMED = "text without half of a surrogate pair";

    private static final String NO_URI =
            "it is no valid URI. In a user or password, encode characters other than letters and"
                    + " digits, such as a space as %20 and '@' as %40";

    /** @throws LeaseSetupException if a value is out of its range or does not fit another one */
    void manager(LeaseProperties manager) {
        that("owner", manager.owner(), Checks.OWNER);
        that("owner", manager.owner(), Checks::isWellFormed, WELL_FORMED);
        that("ttl", manager.ttl(), Checks.TTL);
        heartbeat(manager.heartbeatInterval(), manager.ttl());
        that("store-timeout", manager.storeTimeout(), Checks.POSITIVE);
        that("close-timeout", manager.closeTimeout(), Checks.NOT_NEGATIVE);
        that("max-waiters-per-key", manager.maxWaitersPerKey(), Checks.MAX_WAITERS);
        that("retention", manager.retention(), Checks.RETENTION);
        onceRetention(manager.onceRetention(), manager.retention());
        that("run-history", manager.runHistory(), Checks.RUN_HISTORY);
    }

    private void heartbeat(@Nullable Duration interval, @Nullable Duration ttl) {
        that(
                "heartbeat-interval",
                interval,
                value -> Checks.POSITIVE.accepts(value) && (ttl == null || Checks.fits(value, ttl)),
                "more than zero and at most half of '" + prefix + ".ttl', which is " + printed(ttl));
    }

    private void onceRetention(@Nullable Duration onceRetention, @Nullable Duration retention) {
        that(
                "once-retention",
                onceRetention,
                value -> retention == null || value.compareTo(retention) >= 0,
                "at least '" + prefix + ".retention', which is " + printed(retention));
    }

    /** @throws LeaseSetupException if the stop timeout is not positive; the ttl of each leader limits it too */
    void leader(LeaseProperties.Leader leader) {
        that("stop-timeout", leader.stopTimeout(), Checks.POSITIVE);
    }

    /** @throws LeaseSetupException if the endpoint would scan the table too often */
    void endpoint(LeaseProperties.Endpoint endpoint) {
        that("endpoint.table-max-age", endpoint.tableMaxAge(), value -> value.toSeconds() >= 1, "at least 1 s");
    }

    /** @throws LeaseSetupException if the prefix is only white space, which nobody sees in a key, or malformed */
    void keyPrefix(@Nullable String keyPrefix) {
        that("key-prefix", keyPrefix, text -> text.isEmpty() || !text.isBlank(), "text that is not blank, or none");
        that("key-prefix", keyPrefix, Checks::isWellFormed, WELL_FORMED);
    }

    /** @throws LeaseSetupException if the table has no name, or an ARN in its place */
    void table(LeaseProperties.Table table) {
        that("table.name", table.name(), name -> !name.isBlank(), "the name of a table");
        that(
                "table.name",
                table.name(),
                name -> !name.startsWith("arn:"),
                "the name of a table and not its ARN: not all requests of leases take an ARN, so give the client the region"
                        + " and credentials of the table's account");
    }

    /** @throws LeaseSetupException if the address is none, or one half of the credentials is missing */
    void connection(LeaseProperties.DynamoDb dynamodb) {
        String endpoint = dynamodb.endpoint();
        if (endpoint != null) {
            String difference = difference(endpoint);
            that(
                    "dynamodb.endpoint",
                    Text.address(endpoint),
                    any -> difference == null,
                    "an address such as http://localhost:8000" + (difference == null ? "" : ": " + difference));
        }
        boolean noAccessKey = dynamodb.accessKey() == null;
        if (noAccessKey != (dynamodb.secretKey() == null)) {
            throw invalid(
                    noAccessKey ? "dynamodb.access-key" : "dynamodb.secret-key",
                    null,
                    "a value, because the other part of the credentials is set");
        }
    }

    /** Returns what makes this address unusable; {@code null} if nothing does. */
    private static @Nullable String difference(String endpoint) {
        try {
            URI address = new URI(endpoint);
            boolean cutOff = endpoint.contains("@")
                    && !String.valueOf(address.getRawAuthority()).contains("@");
            return isHttp(address.getScheme()) && cutOff ? NO_URI : difference(address);
        } catch (URISyntaxException e) { // its message has the password
            return NO_URI;
        }
    }

    private static @Nullable String difference(URI endpoint) {
        if (!isHttp(endpoint.getScheme())) {
            return "it does not begin with 'http://' or 'https://'";
        }
        if (endpoint.getHost() != null) {
            return null;
        }
        String authority = endpoint.getRawAuthority();
        if (authority == null || authority.isEmpty() || authority.startsWith(":")) {
            return "it has no host";
        }
        String host = Text.address(authority);
        return host.contains("_")
                ? "the host name in '" + host + "' has an underscore, which is not allowed in host names. Give the"
                        + " host another name, or use its IP address"
                : "'" + host + "' is no host name with an optional port";
    }

    private static boolean isHttp(@Nullable String scheme) {
        return "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
    }

    private <T> void that(String property, @Nullable T value, Checks.Limit<T> limit) {
        that(property, value, limit.rule(), limit.expected());
    }

    private <T> void that(String property, @Nullable T value, Predicate<T> valid, String expected) {
        if (value != null && !valid.test(value)) {
            boolean millis = value instanceof Duration duration && isShort(duration);
            throw invalid(
                    property,
                    value,
                    expected + (millis ? ". A number without a unit is in ms: is the unit missing?" : ""));
        }
    }

    private static boolean isShort(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0 && duration.compareTo(Duration.ofSeconds(1)) < 0;
    }

    private static @Nullable Object printed(@Nullable Object value) {
        return value instanceof Duration duration ? Text.exact(duration) : value;
    }

    private LeaseSetupException invalid(String property, @Nullable Object value, String expected) {
        String name = prefix + "." + property;
        return new LeaseSetupException(
                "Property '" + name + "' is " + (value == null ? "not set" : "'" + printed(value) + "'") + ", expected "
                        + expected,
                "Correct the property '" + name + "'.",
                null);
    }
}
