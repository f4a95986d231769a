package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.store.LeaseStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Auto-configuration for the DynamoDB lease store and its client. The store and the client are created at their first
 * use. The configuration backs off if there is a {@link LeaseManager} or {@link LeaseStore} bean, such as the in-memory
 * store of a test. The client is not created if a bean has the name or qualifier {@link #CLIENT}.
 */
@AutoConfiguration(afterName = "io.awspring.cloud.autoconfigure.dynamodb.DynamoDbAutoConfiguration")
@ConditionalOnClass(DynamoDbAsyncClient.class)
@ConditionalOnMissingBean({LeaseStore.class, LeaseManager.class})
@EnableConfigurationProperties(LeaseProperties.class)
public final class LeaseDynamoDbAutoConfiguration {

    /** Name and qualifier of the DynamoDB client for leases. */
    public static final String CLIENT = "leaseDynamoDbAsyncClient";

    @Bean
    @Lazy
    LeaseStoreFactory leaseStoreFactory(
            LeaseProperties properties,
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LeaseDynamoDbClientCustomizer> customizers) {
        return new LeaseStoreFactory(properties, beanFactory, customizers);
    }

    @Bean(name = CLIENT, defaultCandidate = false)
    @Lazy
    @Conditional(OnMissingLeaseClientCondition.class)
    DynamoDbAsyncClient leaseDynamoDbAsyncClient(LeaseStoreFactory factory) {
        return factory.client();
    }

    @Bean
    @Lazy
    CheckedStore leaseStore(LeaseStoreFactory factory, @Qualifier(CLIENT) DynamoDbAsyncClient client) {
        return factory.store(client);
    }
}
