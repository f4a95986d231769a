package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.ReleaseMode;
import io.leasekit.dynamodb.PermissionCheck;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.DistributedLeaseSettings;
import io.leasekit.spring.leader.LeaderSettings;
import io.leasekit.text.Text;
import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;

/**
 * Properties of leases.
 *
 * @param enabled Whether leases exclude other processes. If false, each process keeps its leases in its own memory,
 *     without DynamoDB.
 * @param store Store of the leases: a DynamoDB table or the memory of this process. Leases in memory do not exclude
 *     other processes, so use them for local runs only.
 * @param owner Name of this process in the table. If not set, the name consists of the application's name, the host and
 *     the process id.
 * @param ttl Time for which one grant or renewal keeps a lease valid.
 * @param heartbeatInterval Time between two renewals. If not set, the heartbeat interval is a third of the ttl.
 * @param keyPrefix Text that is put before the key of each annotated method. The prefix separates applications that
 *     share a table.
 * @param keySharing Whether other applications use the same keys on purpose. If false, Leasekit logs one warning for
 *     each key whose lease another application holds.
 * @param storeTimeout Maximum time that an acquire retries its requests while DynamoDB fails.
 * @param closeTimeout Maximum time that the shutdown waits for leases that are still held after the schedulers have
 *     stopped.
 * @param maxWaitersPerKey Maximum number of callers of this process that may wait for one key.
 * @param releaseMode Effect of a release on the item of the lease in the table.
 * @param retention Time for which the last owner and the fencing token of a released lease stay in the table.
 * @param onceRetention Time for which the table remembers that a run of a scheduled job or a named run is done.
 * @param runHistory Number of past runs that the table keeps for each key.
 * @param releaseInBackground Whether an annotated call returns without waiting for the release of its lease. If not
 *     set, a call waits for the release only on AWS Lambda, which freezes a process after the reply.
 * @param checkBeforeCommit Whether a transaction that began under a lease is rolled back if the lease is no longer
 *     valid at the commit.
 * @param aspect Settings of the advice that acquires the lease of an annotated method.
 * @param leader Settings of methods with '@LeaderOnly'.
 * @param endpoint Settings of the actuator endpoint 'leases'.
 * @param pause Settings of pauses. While an operator has paused a key, no process acquires the key's lease.
 * @param table Table that holds the leases.
 * @param dynamodb Connection to DynamoDB, for applications without a client bean.
 */
@ConfigurationProperties("lease")
record LeaseProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("dynamodb") StoreKind store,
        @Nullable String owner,
        @DefaultValue("60s") Duration ttl,
        @Nullable Duration heartbeatInterval,
        @Nullable String keyPrefix,
        @DefaultValue("false") boolean keySharing,
        @DefaultValue("6s") Duration storeTimeout,
        @DefaultValue("5s") Duration closeTimeout,
        @DefaultValue("1000") int maxWaitersPerKey,
        @DefaultValue("retain") ReleaseMode releaseMode,
        @DefaultValue("7d") Duration retention,
        @DefaultValue("400d") Duration onceRetention,
        @DefaultValue("0") int runHistory,
        @Nullable Boolean releaseInBackground,
        @DefaultValue("true") boolean checkBeforeCommit,
        @DefaultValue Aspect aspect,
        @DefaultValue Leader leader,
        @DefaultValue Endpoint endpoint,
        @DefaultValue Pause pause,
        @DefaultValue Table table,
        @DefaultValue DynamoDb dynamodb)
        implements InitializingBean {

    @Override
    public void afterPropertiesSet() {
        LeasePropertyChecks.all(this);
    }

    void applyTo(LeaseManagerBuilder builder) {
        ifSet(owner, builder::owner);
        builder.ttl(ttl);
        ifSet(heartbeatInterval, builder::heartbeatInterval);
        builder.keySharing(keySharing)
                .storeTimeout(storeTimeout)
                .closeTimeout(closeTimeout)
                .maxWaitersPerKey(maxWaitersPerKey)
                .releaseMode(releaseMode)
                .retention(retention)
                .onceRetention(onceRetention)
                .runHistory(runHistory)
                .pauses(pause.enabled());
    }

    private static <T> void ifSet(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    String prefix() {
        return keyPrefix == null ? "" : keyPrefix;
    }

    LeaderSettings leaderSettings(Environment environment) {
        boolean virtual = environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
        return new LeaderSettings(prefix(), leader.stopTimeout(), virtual);
    }

    DistributedLeaseSettings settings(Environment environment) {
        boolean inBackground = releaseInBackground != null
                ? releaseInBackground
                : !environment.containsProperty("AWS_LAMBDA_FUNCTION_NAME");
        return new DistributedLeaseSettings(prefix(), inBackground);
    }

    /**
     * Settings of the advice around annotated methods.
     *
     * @param order Order of the advice. Advice with a lower order surrounds advice with a higher order.
     */
    record Aspect(
            @DefaultValue("" + DistributedLeaseAdvisor.DEFAULT_ORDER)
            int order) {}

    /**
     * Methods with '@LeaderOnly'.
     *
     * @param stopTimeout Time between the interrupt of a leader's method and the expiry of the lease. If not set, the
     *     stop timeout is a quarter of the ttl.
     */
    record Leader(@Nullable Duration stopTimeout) {}

    /**
     * Actuator endpoint 'leases'.
     *
     * @param showKeys Whether the endpoint shows the keys of leases.
     * @param tableMaxAge Maximum age of the table scan that the view 'snapshot' shows. If the last scan is older than
     *     the maximum age, the endpoint scans the table again.
     */
    record Endpoint(
            @DefaultValue("true") boolean showKeys,
            @DefaultValue("30s") Duration tableMaxAge) {}

    /**
     * Settings of pauses of keys.
     *
     * @param enabled Whether managers obey pauses of keys. If true, each manager reads the pauses from the table every
     *     5 s while it acquires leases.
     */
    record Pause(@DefaultValue("false") boolean enabled) {}

    /**
     * Table that holds the leases.
     *
     * @param name Name of the table.
     * @param create Action at start-up if the table does not exist.
     * @param verify Action at start-up if the application lacks a permission that leases need. Leasekit checks the
     *     permissions at start-up with requests that change nothing in the table.
     */
    record Table(
            @DefaultValue("leases") String name,
            @DefaultValue("never") TableCreation create,
            @DefaultValue("fail") PermissionCheck verify) {}

    /** Store of the leases. */
    enum StoreKind {
        /** A table in DynamoDB, which all processes share. */
        DYNAMODB,
        /** The memory of this process, for local runs. Leases in memory do not exclude other processes. */
        IN_MEMORY
    }

    /** Action at start-up if the table does not exist. */
    enum TableCreation {
        /** If the table does not exist, startup fails, and the error shows the command that creates the table. */
        NEVER,
        /** If the table does not exist, startup creates the table, and waits until the table is ready. */
        IF_MISSING
    }

    /**
     * Connection to DynamoDB, for applications without a client bean.
     *
     * @param endpoint Address of DynamoDB. If not set, the default address of the region is used.
     * @param region AWS region. If not set, the region of the AWS default chain is used.
     * @param accessKey Access key id of the credentials. If not set, the credentials of the AWS default chain are used.
     * @param secretKey Secret access key of the credentials.
     */
    record DynamoDb(
            @Nullable String endpoint,
            @Nullable String region,
            @Nullable String accessKey,
            @Nullable String secretKey) {

        // Environment variables and YAML express an unset value as empty text. The endpoint is text and not a URI,
        // because the failure report of a conversion would show the password in an address.
        DynamoDb {
            endpoint = textOrNull(endpoint);
            region = textOrNull(region);
            accessKey = textOrNull(accessKey);
            secretKey = textOrNull(secretKey);
        }

        private static @Nullable String textOrNull(@Nullable String value) {
            return value == null || value.isBlank() ? null : value.trim();
        }

        @Nullable
        URI address() {
            return endpoint == null ? null : URI.create(endpoint);
        }

        boolean isSet() {
            return anySet() != null;
        }

        @Nullable
        String anySet() {
            return endpoint != null
                    ? "endpoint"
                    : region != null
                            ? "region"
                            : accessKey != null ? "access-key" : secretKey != null ? "secret-key" : null;
        }

        @Override
        public String toString() {
            return "DynamoDb[endpoint=" + (endpoint == null ? null : Text.address(endpoint)) + ", region=" + region
                    + ", accessKey=" + accessKey + "]";
        }
    }
}
