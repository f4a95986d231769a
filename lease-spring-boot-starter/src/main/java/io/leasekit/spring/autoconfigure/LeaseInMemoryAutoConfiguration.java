package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.autoconfigure.LeaseProperties.DynamoDb;
import io.leasekit.store.LeaseStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for leases in the memory of this process ({@code lease.store=in-memory}), for local runs. The
 * configuration backs off if there is a {@link LeaseManager} or {@link LeaseStore} bean, such as the in-memory store of
 * a test.
 */
@AutoConfiguration(before = LeaseDynamoDbAutoConfiguration.class)
@Conditional(OnInMemoryStoreCondition.class)
@ConditionalOnMissingBean({LeaseStore.class, LeaseManager.class})
public final class LeaseInMemoryAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LeaseInMemoryAutoConfiguration.class);

    LeaseInMemoryAutoConfiguration(Environment environment) {
        if (!OnInMemoryStoreCondition.isInMemory(environment)) {
            throw builtOtherwise("dynamodb", "in-memory");
        }
        if (LeaseAutoConfiguration.isEnabled(environment)) {
            refuseSettingsOfDynamoDb(environment);
            log.warn("Leases are kept in memory by 'lease.store=in-memory': they exclude no other process, and are gone"
                    + " when this one ends");
        }
    }

    @Bean
    InMemoryLeaseStore leaseStore() {
        return new InMemoryLeaseStore();
    }

    /**
     * Refuses {@code lease.dynamodb.*}, because the user who sets these properties wants leases in DynamoDB. Accepts
     * {@code lease.table.*}, which are often in the base configuration, because a profile cannot unset a property.
     */
    private static void refuseSettingsOfDynamoDb(Environment environment) {
        DynamoDb connection =
                Binder.get(environment).bind("lease.dynamodb", DynamoDb.class).orElse(null);
        String property = connection == null ? null : connection.anySet();
        if (property != null) {
            throw new LeaseSetupException(
                    "Property 'lease.store' is 'in-memory', but 'lease.dynamodb." + property
                            + "' is set, which is for leases in DynamoDB",
                    "For leases in DynamoDB, remove 'lease.store'. For leases in memory, remove 'lease.dynamodb.*', for"
                            + " example by keeping each in the configuration of its own profile.",
                    null);
        }
    }

    static LeaseSetupException builtOtherwise(String now, String atBuildTime) {
        return new LeaseSetupException(
                "Property 'lease.store' is '" + now + "', but was '" + atBuildTime
                        + "' when the application was built ahead of time",
                "Build the application with 'lease.store=" + now + "'.",
                null);
    }
}
