package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseStore;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.memory.InMemoryLeaseStore;
import java.net.URI;
import java.time.Duration;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;

class LeaseDynamoDbAutoConfigurationTest {

    private static final String CURE =
            "Define a DynamoDbAsyncClient bean qualified as 'leaseDynamoDbAsyncClient', which leases then use as it is";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseDynamoDbAutoConfiguration.class));

    @Test
    void storeAndClientAreThereAndNotMadeBeforeTheirUse() {
        runner.run(context -> {
            assertThat(context.containsBean("leaseStore")).isTrue();
            assertThat(context.containsBean(CLIENT)).isTrue();
            assertThat(context.getBeanFactory().containsSingleton("leaseStore")).isFalse();
            assertThat(context.getBeanFactory().containsSingleton(CLIENT)).isFalse();
        });
    }

    @Test
    void itBacksOffWithoutTheSdk() {
        runner.withClassLoader(new FilteredClassLoader(DynamoDbAsyncClient.class))
                .run(context -> assertThat(context).doesNotHaveBean("leaseStore"));
    }

    @Test
    void itIsSwitchedOffByProperty() {
        runner.withPropertyValues("lease.enabled=false")
                .run(context ->
                        assertThat(context).doesNotHaveBean("leaseStore").doesNotHaveBean(CLIENT));
    }

    @Test
    void aStoreOfTheApplicationsWins() {
        runner.withBean(InMemoryLeaseStore.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(LeaseStore.class)
                        .doesNotHaveBean(DynamoDbLeaseStore.class)
                        .doesNotHaveBean(CLIENT));
    }

    @Test
    void aManagerOfTheApplicationsWins() {
        runner.withBean(
                        LeaseManager.class,
                        () -> LeaseManager.builder(new InMemoryLeaseStore()).build())
                .run(context ->
                        assertThat(context).doesNotHaveBean(LeaseStore.class).doesNotHaveBean(CLIENT));
    }

    @Test
    void theConnectionIsTheSynchronousClients() {
        runner.withUserConfiguration(SyncClient.class)
                .run(context -> assertThat(connection(context))
                        .isEqualTo(new LeaseClientConnection(
                                Region.EU_WEST_1, SyncClient.CREDENTIALS, URI.create("http://sync:8000"))));
    }

    @Test
    void theConnectionIsRatherTheAsynchronousClients() {
        runner.withUserConfiguration(SyncClient.class, AsyncClient.class)
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.EU_NORTH_1));
    }

    @Test
    void theConnectionIsThePrimaryClients() {
        runner.withUserConfiguration(SyncClient.class, PrimaryClient.class)
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.AP_EAST_1));
    }

    @Test
    void withoutAClientTheConnectionIsTheProperties() {
        runner.withPropertyValues(connectionProperties()).run(context -> {
            LeaseClientConnection connection = connection(context);
            assertThat(connection.region()).isEqualTo(Region.US_EAST_2);
            assertThat(connection.endpoint()).isEqualTo(URI.create("http://localhost:8000"));
            assertThat(connection.credentials()).isNotNull();
        });
    }

    @Test
    void severalClientsNonePrimaryStopTheStart() {
        runner.withUserConfiguration(SyncClient.class, OtherSyncClient.class)
                .run(context -> assertSetupFailure(
                        context,
                        "Leases need one DynamoDB client bean to take the connection from, found 'syncClient',"
                                + " 'otherSyncClient'",
                        "Make one of them @Primary. Or: " + CURE + ". Or set the properties 'lease.dynamodb.*'."));
    }

    @Test
    void severalClientsNonePrimaryAreNoMatterWithProperties() {
        runner.withUserConfiguration(SyncClient.class, OtherSyncClient.class)
                .withPropertyValues(connectionProperties())
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.US_EAST_2));
    }

    @Test
    void aClientThatContradictsThePropertiesStopsTheStart() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues("lease.dynamodb.region=us-east-1")
                .run(context -> assertSetupFailure(
                        context,
                        "The properties 'lease.dynamodb.*' differ from the connection of the bean 'syncClient', which"
                                + " leases would use: region 'eu-west-1', endpoint 'http://sync:8000'",
                        "Remove the properties. Or, for another connection: " + CURE + "."));
    }

    @Test
    void aClientThatAgreesWithThePropertiesIsFine() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues("lease.dynamodb.region=eu-west-1", "lease.dynamodb.endpoint=http://sync:8000")
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.EU_WEST_1));
    }

    @Test
    void aMockStopsTheStartWithItsNameAndTheCure() {
        runner.withBean("mocked", DynamoDbClient.class, () -> mock(DynamoDbClient.class))
                .run(context -> assertUnderivable(context, "mocked"));
    }

    @Test
    void aClientThatTellsNothingStopsTheStartWithItsNameAndTheCure() {
        runner.withBean("dax", DynamoDbAsyncClient.class, SilentClient::new)
                .run(context -> assertUnderivable(context, "dax"));
    }

    @Test
    void aClientQualifiedForLeasesIsUsedAsItIs() {
        runner.withUserConfiguration(QualifiedClient.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(DynamoDbAsyncClient.class)
                        .doesNotHaveBean(CLIENT));
    }

    @Test
    void aClientNamedForLeasesIsUsedAsItIs() {
        runner.withBean(CLIENT, DynamoDbAsyncClient.class, SilentClient::new)
                .run(context -> assertThat(context.getBean(CLIENT)).isInstanceOf(SilentClient.class));
    }

    @Test
    void aQualifiedClientThatIsNoPlainOneStopsTheStart() {
        runner.withUserConfiguration(QualifiedClient.class)
                .run(context -> assertThat(setupFailure(context, "leaseStore"))
                        .hasMessage("The DynamoDB client bean qualified as 'leaseDynamoDbAsyncClient' is of type '"
                                + SilentClient.class.getName()
                                + "', expected one made by DynamoDbAsyncClient.builder()"));
    }

    @Test
    void theClientIsNoCandidateForTheApplicationsInjections() {
        runner.withUserConfiguration(AsyncClient.class).run(context -> {
            assertThat(context.getBeanProvider(DynamoDbAsyncClient.class).getIfUnique())
                    .isNotNull();
            DynamoDbAsyncClient injected = context.getBean(Injected.class).client;
            assertThat(injected).isSameAs(context.getBean("asyncClient"));
        });
    }

    @Test
    void customizersComeLastButRetriesStayOff() {
        runner.withPropertyValues(connectionProperties())
                .withBean(
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.region(Region.SA_EAST_1)
                                .overrideConfiguration(
                                        configuration -> configuration.retryStrategy(RetryMode.STANDARD)))
                .run(context -> {
                    DynamoDbServiceClientConfiguration configuration =
                            context.getBean(CLIENT, DynamoDbAsyncClient.class).serviceClientConfiguration();
                    assertThat(configuration.region()).isEqualTo(Region.SA_EAST_1);
                    assertThat(configuration
                                    .overrideConfiguration()
                                    .retryStrategy()
                                    .orElseThrow()
                                    .maxAttempts())
                            .isOne();
                });
    }

    @Test
    void theClientIsClosedWithTheContext() {
        runner.withPropertyValues(connectionProperties()).run(context -> {
            DynamoDbAsyncClient client = context.getBean(CLIENT, DynamoDbAsyncClient.class);
            context.close();
            assertThat(client.listTables()).completesExceptionallyWithin(Duration.ofSeconds(5));
        });
    }

    private static LeaseClientConnection connection(AssertableApplicationContext context) {
        return LeaseClientConnection.of(
                context.getBean(CLIENT, DynamoDbAsyncClient.class).serviceClientConfiguration());
    }

    private static void assertUnderivable(AssertableApplicationContext context, String bean) {
        String type = context.getBean(bean).getClass().getName();
        assertSetupFailure(
                context,
                "The DynamoDB client bean '" + bean + "' of type '" + type
                        + "' does not tell its region, credentials and endpoint, which leases need for a client of"
                        + " their own",
                CURE + ", or a LeaseStore bean, such as InMemoryLeaseStore in tests.");
    }

    private static void assertSetupFailure(AssertableApplicationContext context, String problem, String cure) {
        assertThat(setupFailure(context, CLIENT))
                .hasMessage(problem)
                .asInstanceOf(InstanceOfAssertFactories.type(LeaseSetupException.class))
                .extracting(LeaseSetupException::cure)
                .isEqualTo(cure);
    }

    private static Throwable setupFailure(AssertableApplicationContext context, String bean) {
        Throwable failure = catchThrowable(() -> context.getBean(bean));
        while (failure != null && !(failure instanceof LeaseSetupException)) {
            failure = failure.getCause();
        }
        return failure;
    }

    private static String[] connectionProperties() {
        return new String[] {
            "lease.dynamodb.endpoint=http://localhost:8000",
            "lease.dynamodb.region=us-east-2",
            "lease.dynamodb.access-key=id",
            "lease.dynamodb.secret-key=secret"
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class SyncClient {

        static final AnonymousCredentialsProvider CREDENTIALS = AnonymousCredentialsProvider.create();

        @Bean
        DynamoDbClient syncClient() {
            return DynamoDbClient.builder()
                    .region(Region.EU_WEST_1)
                    .credentialsProvider(CREDENTIALS)
                    .endpointOverride(URI.create("http://sync:8000"))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherSyncClient {

        @Bean
        DynamoDbClient otherSyncClient() {
            return DynamoDbClient.builder().region(Region.EU_WEST_2).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryClient {

        @Bean
        @Primary
        DynamoDbClient primaryClient() {
            return DynamoDbClient.builder().region(Region.AP_EAST_1).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsyncClient {

        @Bean
        DynamoDbAsyncClient asyncClient() {
            return DynamoDbAsyncClient.builder().region(Region.EU_NORTH_1).build();
        }

        @Bean
        Injected injected(DynamoDbAsyncClient client) {
            return new Injected(client);
        }
    }

    record Injected(DynamoDbAsyncClient client) {}

    @Configuration(proxyBeanMethods = false)
    static class QualifiedClient {

        @Bean
        @Qualifier(CLIENT)
        DynamoDbAsyncClient ofTheApplication() {
            return new SilentClient();
        }
    }

    /** As a DAX client: it inherits the method that tells nothing. */
    static class SilentClient implements DynamoDbAsyncClient {

        @Override
        public String serviceName() {
            return "silent";
        }

        @Override
        public void close() {}
    }
}
