package io.leasekit.spring.autoconfigure;

import io.leasekit.ReleaseMode;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.DistributedLeaseSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
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
 * @param keyPrefix Text before the key of each annotated method, to tell applications apart that share a table. Without it:
 *     none.
 * @param storeTimeout For how long an acquire goes on trying while DynamoDB does not do what is asked.
 * @param closeTimeout How long the end of the application waits for leases that are still held when the schedulers have ended.
 * @param observationTime How long a lease must be seen unchanged before its holder counts as dead, where the table does not
 *     tell its ttl.
 * @param maxWaitersPerKey How many callers of this process may wait for one key at a time.
 * @param atRiskFraction Part of the ttl left at which a lease counts as at risk, between 0 and 1. Without it: a third.
 * @param releaseMode What a release leaves in the table.
 * @param retention How long the last owner and the fencing token of a released lease stay in the table.
 * @param onceRetention How long the table remembers that a run of a scheduled job, or one that an annotation names, is done.
 * @param releaseInBackground Whether an annotated call returns without waiting for its release. Without it: not on AWS
 *     Lambda, which freezes a process after the reply, and everywhere else.
 * @param checkBeforeCommit Whether a transaction is rolled back if the lease that it was begun under is no longer valid when
 *     it is to be committed.
 * @param aspect The advice that takes the lease of an annotated method.
 * @param endpoint The actuator endpoint 'leases'.
 * @param table The table that holds the leases.
 * @param dynamodb The connection to DynamoDB, for applications without a client bean to take it from.
 * @param managers Managers beside the default one, by name, for the attribute 'manager' of an annotation. What one does not
 *     set is as set for the default one.
 */
@ConfigurationProperties("lease")
record LeaseProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String owner,
        @DefaultValue("60s") Duration ttl,
        @Nullable Duration heartbeatInterval,
        @Nullable String keyPrefix,
        @DefaultValue("6s") Duration storeTimeout,
        @DefaultValue("5s") Duration closeTimeout,
        @DefaultValue("5m") Duration observationTime,
        @DefaultValue("1000") int maxWaitersPerKey,
        @Nullable Double atRiskFraction,
        @DefaultValue("retain") ReleaseMode releaseMode,
        @DefaultValue("7d") Duration retention,
        @DefaultValue("400d") Duration onceRetention,
        @Nullable Boolean releaseInBackground,
        @DefaultValue("true") boolean checkBeforeCommit,
        @DefaultValue Aspect aspect,
        @DefaultValue Endpoint endpoint,
        @DefaultValue Table table,
        @DefaultValue DynamoDb dynamodb,
        @DefaultValue Map<String, LeaseManagerProperties> managers)
        implements InitializingBean {

    LeaseProperties {
        managers = Map.copyOf(managers);
    }

    @Override
    public void afterPropertiesSet() {
        check("lease", manager(), table, dynamodb);
        managers.keySet().forEach(name -> check("lease.managers." + name, manager(name), table(name), dynamodb(name)));
    }

    private static void check(String prefix, LeaseManagerProperties manager, Table table, DynamoDb dynamodb) {
        LeasePropertyChecks checks = new LeasePropertyChecks(prefix);
        checks.manager(manager);
        checks.table(table);
        checks.connection(dynamodb);
    }

    /** Returns the properties of the default manager in the form that those of the others have. */
    LeaseManagerProperties manager() {
        return new LeaseManagerProperties(
                owner,
                ttl,
                heartbeatInterval,
                storeTimeout,
                closeTimeout,
                observationTime,
                maxWaitersPerKey,
                atRiskFraction,
                releaseMode,
                retention,
                onceRetention,
                null,
                null);
    }

    /** Returns the properties of a manager beside the default one, with the default one's where it has none. */
    LeaseManagerProperties manager(String name) {
        return own(name).or(manager());
    }

    /** Returns the table of a manager beside the default one. */
    Table table(String manager) {
        LeaseManagerProperties.Table own = own(manager).table();
        return own == null ? table : own.or(table);
    }

    /** Returns the connection of a manager beside the default one. */
    DynamoDb dynamodb(String manager) {
        DynamoDb own = own(manager).dynamodb();
        return own == null ? dynamodb : own;
    }

    private LeaseManagerProperties own(String name) {
        LeaseManagerProperties properties = managers.get(name);
        if (properties == null) {
            throw new IllegalArgumentException("There are no properties 'lease.managers." + name + ".*'");
        }
        return properties;
    }

    /** Returns the prefix of keys; empty: there is none. */
    String prefix() {
        return keyPrefix == null ? "" : keyPrefix;
    }

    DistributedLeaseSettings settings(Environment environment) {
        boolean inBackground = releaseInBackground != null
                ? releaseInBackground
                : !environment.containsProperty("AWS_LAMBDA_FUNCTION_NAME");
        return new DistributedLeaseSettings(prefix(), inBackground);
    }

    /**
     * The advice that takes the lease of an annotated method.
     *
     * @param order Order of the advice: a lower one is further outside. The default is inside method security, asynchronous
     *     calls and retries of Spring's core, and outside transactions, so that a lease is released after the commit.
     */
    record Aspect(
            @DefaultValue("" + DistributedLeaseAdvisor.DEFAULT_ORDER)
            int order) {}

    /**
     * The actuator endpoint 'leases'.
     *
     * @param showKeys Whether the endpoint shows the keys of leases.
     */
    record Endpoint(@DefaultValue("true") boolean showKeys) {}

    /**
     * The table that holds the leases.
     *
     * @param name Name of the table.
     * @param create What to do at start-up when the table does not exist.
     */
    record Table(
            @DefaultValue("leases") String name,
            @DefaultValue("never") TableCreation create) {}

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

        boolean isSet() {
            return endpoint != null || region != null || accessKey != null;
        }

        @Override
        public String toString() {
            return "DynamoDb[endpoint=" + endpoint + ", region=" + region + ", accessKey=" + accessKey + "]";
        }
    }
}
