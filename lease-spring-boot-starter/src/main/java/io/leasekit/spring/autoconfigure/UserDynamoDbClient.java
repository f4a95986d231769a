package io.leasekit.spring.autoconfigure;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import software.amazon.awssdk.awscore.AwsClient;
import software.amazon.awssdk.awscore.AwsServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Finds the DynamoDB client that the application itself uses, and takes the connection from it. */
final class UserDynamoDbClient {

    private static final String CURE = "Define a DynamoDbAsyncClient bean qualified as '"
            + LeaseDynamoDbAutoConfiguration.CLIENT + "', which leases then use as it is";

    private final ConfigurableListableBeanFactory beanFactory;

    UserDynamoDbClient(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * Returns the connection of the only or primary client, an asynchronous one first; {@code null}: there is none.
     *
     * @throws LeaseSetupException if the client does not tell its connection, if it contradicts the properties, or if there
     *     are several clients, none primary, and the properties say nothing
     */
    @Nullable
    LeaseClientConnection connection(LeaseProperties.DynamoDb properties) {
        List<String> async = candidates(DynamoDbAsyncClient.class);
        List<String> sync = candidates(DynamoDbClient.class);
        String name = chosen(async);
        if (name == null) {
            name = chosen(sync);
        }
        if (name == null) {
            refuseAmbiguity(async, sync, properties);
            return null;
        }
        LeaseClientConnection connection = derive(name);
        if (connection.contradicts(properties)) {
            throw new LeaseSetupException(
                    "The properties 'lease.dynamodb.*' differ from the connection of the bean '" + name
                            + "', which leases would use: region '" + connection.region() + "', endpoint '"
                            + connection.endpoint() + "'",
                    "Remove the properties. Or, for another connection: " + CURE + ".",
                    null);
        }
        return connection;
    }

    private LeaseClientConnection derive(String name) {
        AwsClient client = (AwsClient) beanFactory.getBean(name);
        AwsServiceClientConfiguration configuration = configuration(client);
        if (configuration == null) {
            throw new LeaseSetupException(
                    "The DynamoDB client bean '" + name + "' of type '"
                            + client.getClass().getName()
                            + "' does not tell its region, credentials and endpoint, which leases need for a client of their own",
                    CURE + ", or a LeaseStore bean, such as InMemoryLeaseStore in tests.",
                    null);
        }
        return LeaseClientConnection.of(configuration);
    }

    /**
     * Returns the client that leases are to use as it is.
     *
     * @throws LeaseSetupException if it is not a plain client of the SDK's
     */
    static DynamoDbAsyncClient asItIs(DynamoDbAsyncClient client) {
        if (configuration(client) == null) {
            throw new LeaseSetupException(
                    "The DynamoDB client bean qualified as '" + LeaseDynamoDbAutoConfiguration.CLIENT + "' is of type '"
                            + client.getClass().getName() + "', expected one made by DynamoDbAsyncClient.builder()",
                    "Define such a client: leases cannot be kept through a cache. Or define a LeaseStore bean, such as"
                            + " InMemoryLeaseStore in tests.",
                    null);
        }
        return client;
    }

    // DAX clients throw, mocks return null
    private static @Nullable AwsServiceClientConfiguration configuration(AwsClient client) {
        try {
            AwsServiceClientConfiguration configuration = client.serviceClientConfiguration();
            return configuration == null || configuration.region() == null ? null : configuration;
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    private static void refuseAmbiguity(List<String> async, List<String> sync, LeaseProperties.DynamoDb properties) {
        List<String> several = async.isEmpty() ? sync : async;
        if (!several.isEmpty() && !properties.isSet()) {
            throw new LeaseSetupException(
                    "Leases need one DynamoDB client bean to take the connection from, found '"
                            + String.join("', '", several) + "'",
                    "Make one of them @Primary. Or: " + CURE + ". Or set the properties 'lease.dynamodb.*'.",
                    null);
        }
    }

    private List<String> candidates(Class<?> type) {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false);
        return Arrays.stream(names)
                .filter(name -> !name.equals(LeaseDynamoDbAutoConfiguration.CLIENT) && isDefaultCandidate(name))
                .toList();
    }

    private @Nullable String chosen(List<String> names) {
        List<String> primary = names.stream().filter(this::isPrimary).toList();
        List<String> chosen = primary.isEmpty() ? names : primary;
        return chosen.size() == 1 ? chosen.get(0) : null;
    }

    private boolean isPrimary(String name) {
        BeanDefinition definition = definition(name);
        return definition != null && definition.isPrimary();
    }

    private boolean isDefaultCandidate(String name) {
        BeanDefinition definition = definition(name);
        return definition == null
                || (definition.isAutowireCandidate()
                        && (!(definition instanceof AbstractBeanDefinition merged) || merged.isDefaultCandidate()));
    }

    private @Nullable BeanDefinition definition(String name) {
        return beanFactory.containsBeanDefinition(name) ? beanFactory.getMergedBeanDefinition(name) : null;
    }
}
