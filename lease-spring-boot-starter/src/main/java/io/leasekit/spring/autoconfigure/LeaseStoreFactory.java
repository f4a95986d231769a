package io.leasekit.spring.autoconfigure;

import io.leasekit.dynamodb.DynamoDbLeaseStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Makes stores in DynamoDB, and their clients, by the properties of managers. */
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

    /** Returns a new client for the default manager, connected as the application's own one if there is one. */
    DynamoDbAsyncClient client() {
        LeaseClientConnection ofUser = new UserDynamoDbClient(beanFactory).connection(properties.dynamodb());
        return client(ofUser != null ? ofUser : LeaseClientConnection.of(properties.dynamodb()));
    }

    /** Returns a new client for a manager that has a connection of its own. */
    DynamoDbAsyncClient client(String manager) {
        return client(LeaseClientConnection.of(properties.dynamodb(manager)));
    }

    private DynamoDbAsyncClient client(LeaseClientConnection connection) {
        return new LeaseDynamoDbClientFactory(
                        connection, customizers.orderedStream().toList())
                .create();
    }

    /** Returns the default manager's store, whose table is checked. */
    DynamoDbLeaseStore store(DynamoDbAsyncClient client) {
        return store(client, properties.table());
    }

    /** Returns the store of a manager that has a table or a connection of its own. */
    DynamoDbLeaseStore store(String manager) {
        String own = NamedLeaseBeans.clientName(manager);
        String client = beanFactory.containsBean(own) ? own : LeaseDynamoDbAutoConfiguration.CLIENT;
        return store(beanFactory.getBean(client, DynamoDbAsyncClient.class), properties.table(manager));
    }

    private static DynamoDbLeaseStore store(DynamoDbAsyncClient client, LeaseProperties.Table table) {
        DynamoDbAsyncClient plain = UserDynamoDbClient.asItIs(client);
        new LeaseTablePreparation(plain, table).run();
        return DynamoDbLeaseStore.create(plain, table.name());
    }
}
