package io.leasekit.spring.autoconfigure;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.limits.Checks;
import io.leasekit.limits.LimitException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.text.Text;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * Checks the properties {@code lease.*} at startup. Replaces the names of Java settings in errors of the core module by
 * the names of properties.
 */
final class LeasePropertyChecks {

    private static final String NO_URI =
            "it is no valid URI. In a user or password, encode characters other than letters and"
                    + " digits, such as a space as %20 and '@' as %40";

    private LeasePropertyChecks() {}

    static void all(LeaseProperties properties) {
        Duration stopTimeout = properties.leader().stopTimeout();
        // The election later checks whether the stop timeout fits the ttl.
        if (stopTimeout != null) {
            ofCore(
                    name -> "leader.stop-timeout",
                    () -> ElectionSettings.defaults().stopTimeout(stopTimeout));
        }
        // a maximum age below 1 s would cause too many table scans
        that(
                "endpoint.table-max-age",
                properties.endpoint().tableMaxAge(),
                value -> value.toSeconds() >= 1,
                "at least 1 s");
        that(
                "key-prefix",
                properties.prefix(),
                text -> text.isEmpty() || !text.isBlank(),
                "text that is not blank, or none");
        String prefix = properties.prefix();
        if (prefix != null) {
            ofCore(name -> name, () -> Checks.wellFormed("key-prefix", prefix));
        }
        LeaseManagerBuilder manager = LeaseManager.builder(new InMemoryLeaseStore());
        properties.applyTo(manager);
        // Building a manager checks the manager's settings, and starts nothing.
        ofCore(DataObjectPropertyName::toDashedForm, manager::build);
        ofCore(name -> "table.name", () -> Checks.table(properties.table().name()));
        connection(properties.dynamodb());
    }

    private static void ofCore(UnaryOperator<String> property, Runnable check) {
        try {
            check.run();
        } catch (LimitException e) {
            throw invalid(property.apply(e.name()), e.value(), e.expected());
        }
    }

    private static void connection(LeaseProperties.DynamoDb dynamodb) {
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

    private static @Nullable String difference(String endpoint) {
        try {
            URI address = new URI(endpoint);
            boolean cutOff = endpoint.contains("@")
                    && !String.valueOf(address.getRawAuthority()).contains("@");
            return isHttp(address.getScheme()) && cutOff ? NO_URI : difference(address);
        } catch (URISyntaxException e) {
            // The message of the exception can contain a password, so the message is not shown.
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

    private static <T> void that(String property, T value, Predicate<T> valid, String expected) {
        if (!valid.test(value)) {
            throw invalid(property, value, expected);
        }
    }

    private static boolean isShort(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0 && duration.compareTo(Duration.ofSeconds(1)) < 0;
    }

    private static LeaseSetupException invalid(String property, @Nullable Object value, String expected) {
        String name = "lease." + property;
        Object seen = value instanceof Duration duration ? Text.exact(duration) : value;
        String unit = value instanceof Duration duration && isShort(duration)
                ? ". A number without a unit is in ms: is the unit missing?"
                : "";
        return new LeaseSetupException(
                "Property '" + name + "' is " + (seen == null ? "not set" : "'" + seen + "'") + ", expected " + expected
                        + unit,
                "Correct the property '" + name + "'.",
                null);
    }
}
