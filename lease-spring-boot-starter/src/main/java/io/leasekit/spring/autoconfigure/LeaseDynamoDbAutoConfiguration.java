package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseStore;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Makes the store of leases in DynamoDB and its client, each at its first use. Backs off for a {@link LeaseStore} or
 * {@link LeaseManager} bean of the application's, and for a client bean named or qualified as {@link #CLIENT}.
 */
@AutoConfiguration(afterName = "io.awspring.cloud.autoconfigure.dynamodb.DynamoDbAutoConfiguration")
@ConditionalOnClass(DynamoDbAsyncClient.class)
@ConditionalOnProperty(name = "lease.enabled", matchIfMissing = true)
@ConditionalOnMissingBean({LeaseStore.class, LeaseManager.class})
@EnableConfigurationProperties(LeaseProperties.class)
public final class LeaseDynamoDbAutoConfiguration {

    /** The name and qualifier of the DynamoDB client that leases use. */
    public static final String CLIENT = "leaseDynamoDbAsyncClient";

    @Bean(name = CLIENT, defaultCandidate = false)
    @Lazy
    @Conditional(OnMissingLeaseClientCondition.class)
    DynamoDbAsyncClient leaseDynamoDbAsyncClient(
            LeaseProperties properties,
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LeaseDynamoDbClientCustomizer> customizers) {
        LeaseClientConnection ofUser = new UserDynamoDbClient(beanFactory).connection(properties.dynamodb());
        LeaseClientConnection connection = ofUser != null ? ofUser : LeaseClientConnection.of(properties.dynamodb());
        return new LeaseDynamoDbClientFactory(
                        connection, customizers.orderedStream().toList())
                .create();
    }

    @Bean
    @Lazy
    DynamoDbLeaseStore leaseStore(LeaseProperties properties, @Qualifier(CLIENT) DynamoDbAsyncClient client) {
        DynamoDbAsyncClient plain = UserDynamoDbClient.asItIs(client);
        new LeaseTablePreparation(plain, properties.table()).run();
        return DynamoDbLeaseStore.create(plain, properties.table().name());
    }
}
