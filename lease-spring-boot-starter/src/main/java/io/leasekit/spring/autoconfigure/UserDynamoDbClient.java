package io.leasekit.spring.autoconfigure;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import software.amazon.awssdk.awscore.AwsClient;
import software.amazon.awssdk.awscore.AwsServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Finds the DynamoDB client of the application, and reads the connection settings from that client. */
final class UserDynamoDbClient {

    private static final String FIX = "Define a DynamoDbAsyncClient bean qualified as '"
            + LeaseDynamoDbAutoConfiguration.CLIENT + "', which leases then use unchanged";

    private final ConfigurableListableBeanFactory beanFactory;

    UserDynamoDbClient(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    record Found(LeaseClientConnection connection, UserClientSettings settings) {}

    /**
     * Returns the settings of the only or primary client bean, asynchronous before synchronous; {@code null} if there
     * is none.
     */
    @Nullable
    Found find(LeaseProperties.DynamoDb properties) {
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
        Found found = derive(name);
        LeaseClientConnection connection = found.connection();
        List<String> differences = connection.differences(properties);
        if (!differences.isEmpty()) {
            throw new LeaseSetupException(
                    "The properties 'lease.dynamodb.*' differ from the DynamoDB client bean '" + name
                            + "', whose connection leases would use: " + String.join("; ", differences),
                    "Remove the properties. For a different connection: " + FIX + ".",
                    null);
        }
        return found;
    }

    private Found derive(String name) {
        AwsClient client = (AwsClient) beanFactory.getBean(name);
        AwsServiceClientConfiguration configuration = configuration(client);
        if (configuration == null) {
            throw new LeaseSetupException(
                    "The DynamoDB client bean '" + name + "' of type '"
                            + client.getClass().getName()
                            + "' does not expose its region, credentials and endpoint, which leases need for a client of their own",
                    FIX + ". In tests, define an InMemoryLeaseStore bean instead.",
                    null);
        }
        return new Found(LeaseClientConnection.of(configuration), UserClientSettings.of(name, client, configuration));
    }

    /** Rejects a client that is not a plain client of the SDK. */
    static DynamoDbAsyncClient asItIs(DynamoDbAsyncClient client) {
        if (configuration(client) == null) {
            throw new LeaseSetupException(
                    "The DynamoDB client bean qualified as '" + LeaseDynamoDbAutoConfiguration.CLIENT + "' is of type '"
                            + client.getClass().getName() + "', expected one created by DynamoDbAsyncClient.builder()",
                    "Define such a client, because leases do not work through a cache. In tests, define an"
                            + " InMemoryLeaseStore bean instead.",
                    null);
        }
        return client;
    }

    // DAX clients throw an exception from serviceClientConfiguration, and mocks return null
    private static @Nullable AwsServiceClientConfiguration configuration(AwsClient client) {
        try {
            AwsServiceClientConfiguration configuration = client.serviceClientConfiguration();
            return configuration == null || configuration.region() == null ? null : configuration;
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    static String place(Object client, Function<URI, String> printed) {
        AwsServiceClientConfiguration known = client instanceof AwsClient aws ? configuration(aws) : null;
        if (known == null) {
            return "in the region of the client";
        }
        return known.endpointOverride()
                .map(endpoint -> "at " + printed.apply(endpoint))
                .orElse("in " + known.region());
    }

    private static void refuseAmbiguity(List<String> async, List<String> sync, LeaseProperties.DynamoDb properties) {
        List<String> several = async.isEmpty() ? sync : async;
        if (!several.isEmpty() && !properties.isSet()) {
            throw new LeaseSetupException(
                    "Leases need the connection of one DynamoDB client bean, found several: '"
                            + String.join("', '", several) + "'",
                    "Make one of them @Primary. Or set the properties 'lease.dynamodb.*'. Or: " + FIX + ".",
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
