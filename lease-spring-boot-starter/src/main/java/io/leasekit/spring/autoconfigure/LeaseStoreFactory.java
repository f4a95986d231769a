package io.leasekit.spring.autoconfigure;

import io.leasekit.ReleaseMode;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.spring.autoconfigure.LeaseProperties.StoreKind;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Creates DynamoDB stores and their clients from the properties of managers. */
final class LeaseStoreFactory {

    private final LeaseProperties properties;
    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<LeaseDynamoDbClientCustomizer> customizers;

    LeaseStoreFactory(
            LeaseProperties properties,
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LeaseDynamoDbClientCustomizer> customizers) {
        this.properties = properties;
        this.beanFactory = beanFactory;
        this.customizers = customizers;
    }

    DynamoDbAsyncClient client() {
        UserDynamoDbClient.Found ofUser = new UserDynamoDbClient(beanFactory).find(properties.dynamodb());
        if (ofUser == null) {
            return client(LeaseClientConnection.of(properties.dynamodb()), null);
        }
        return client(ofUser.connection(), ofUser.settings());
    }

    private DynamoDbAsyncClient client(LeaseClientConnection connection, @Nullable UserClientSettings settings) {
        return new LeaseDynamoDbClientFactory(
                        connection, settings, customizers.orderedStream().toList())
                .create();
    }

    CheckedStore store(DynamoDbAsyncClient client) {
        if (properties.store() == StoreKind.IN_MEMORY) {
            throw LeaseInMemoryAutoConfiguration.builtOtherwise("in-memory", "dynamodb");
        }
        CheckedStore.Builder builder = CheckedStore.builder()
                .client(UserDynamoDbClient.asItIs(client))
                .keyPrefix(properties.prefix())
                .deletesItems(properties.releaseMode() == ReleaseMode.DELETE);
        return LeaseTablePreparation.open(builder, properties.table());
    }
}
