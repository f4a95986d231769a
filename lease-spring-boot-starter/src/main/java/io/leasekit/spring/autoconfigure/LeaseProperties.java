package io.leasekit.spring.autoconfigure;

import io.leasekit.ReleaseMode;
import io.leasekit.spring.DistributedLeaseSettings;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The properties of leases.
 *
 * @param enabled Whether annotated methods run under a lease. When switched off they run without one.
 * @param owner Name of this process, as the table shows it. Without it: the application's name, the host and the process id.
 * @param ttl How long one grant or renewal of a lease lasts.
 * @param heartbeatInterval Time between two renewals. Without it: a third of the ttl.
 * @param keyPrefix Text before the key of each annotated method, to tell applications apart that share a table.
 * @param releaseMode What a release leaves in the table.
 * @param retention How long the last owner and the fencing token of a released lease stay in the table.
 * @param releaseInBackground Whether an annotated call returns without waiting for its release. Without it: not on AWS
 *     Lambda, which freezes a process after the reply, and everywhere else.
 * @param table The table that holds the leases.
 * @param dynamodb The connection to DynamoDB, for applications without a client bean to take it from.
 */
@ConfigurationProperties("lease")
record LeaseProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String owner,
        @DefaultValue("60s") Duration ttl,
        @Nullable Duration heartbeatInterval,
        @DefaultValue("") String keyPrefix,
        @DefaultValue("retain") ReleaseMode releaseMode,
        @DefaultValue("7d") Duration retention,
        @Nullable Boolean releaseInBackground,
        @DefaultValue Table table,
        @DefaultValue DynamoDb dynamodb) {

    private static final Duration MIN_TTL = Duration.ofSeconds(2);
    private static final Duration MAX_TTL = Duration.ofDays(365);
    private static final Duration MIN_RETENTION = Duration.ofMinutes(15);

    LeaseProperties {
        require(
                ttl.compareTo(MIN_TTL) >= 0 && ttl.compareTo(MAX_TTL) <= 0,
                "lease.ttl",
                ttl,
                "between " + MIN_TTL + " and " + MAX_TTL);
        require(
                heartbeatInterval == null
                        || (heartbeatInterval.compareTo(Duration.ZERO) > 0
                                && heartbeatInterval.compareTo(ttl.dividedBy(2)) <= 0),
                "lease.heartbeat-interval",
                heartbeatInterval,
                "more than zero and at most half of 'lease.ttl', which is " + ttl);
        require(retention.compareTo(MIN_RETENTION) >= 0, "lease.retention", retention, "at least " + MIN_RETENTION);
        require(owner == null || !owner.isBlank(), "lease.owner", owner, "a text with a visible character");
    }

    DistributedLeaseSettings settings(Environment environment) {
        boolean inBackground = releaseInBackground != null
                ? releaseInBackground
                : !environment.containsProperty("AWS_LAMBDA_FUNCTION_NAME");
        return new DistributedLeaseSettings(keyPrefix, inBackground);
    }

    private static void require(boolean valid, String property, @Nullable Object value, String expected) {
        if (!valid) {
            throw new LeaseSetupException(
                    "Property '" + property + "' is '" + value + "', expected " + expected,
                    "Correct the property '" + property + "'.",
                    null);
        }
    }

    /**
     * The table that holds the leases.
     *
     * @param name Name of the table.
     * @param create What to do at start-up when the table does not exist.
     */
    record Table(
            @DefaultValue("leases") String name,
            @DefaultValue("never") TableCreation create) {

        Table {
            require(!name.isBlank(), "lease.table.name", name, "the name of a table");
        }
    }

    /** What to do at start-up when the table does not exist. */
    enum TableCreation {
        /** Fail, with the command that makes the table. */
        NEVER,
        /** Make the table, and wait until it can be used. */
        IF_MISSING
    }

    /**
     * The connection to DynamoDB, for applications without a client bean to take it from.
     *
     * @param endpoint Address of DynamoDB. Without it: the one of the region.
     * @param region AWS region. Without it: the one of the AWS default chain.
     * @param accessKey Access key id of the credentials. Without it: the credentials of the AWS default chain.
     * @param secretKey Secret access key of the credentials.
     */
    record DynamoDb(
            @Nullable URI endpoint,
            @Nullable String region,
            @Nullable String accessKey,
            @Nullable String secretKey) {

        DynamoDb {
            require(
                    endpoint == null || endpoint.getHost() != null,
                    "lease.dynamodb.endpoint",
                    endpoint,
                    "an address such as http://localhost:8000");
            require(
                    (accessKey == null) == (secretKey == null),
                    accessKey == null ? "lease.dynamodb.access-key" : "lease.dynamodb.secret-key",
                    null,
                    "a value, since the other half of the credentials is set");
        }

        boolean isSet() {
            return endpoint != null || region != null || accessKey != null;
        }

        @Override
        public String toString() {
            return "DynamoDb[endpoint=" + endpoint + ", region=" + region + ", accessKey=" + accessKey + "]";
        }
    }
}
