package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static io.leasekit.spring.autoconfigure.TestClients.connection;
import static io.leasekit.spring.autoconfigure.TestClients.connectionProperties;
import static io.leasekit.spring.autoconfigure.TestClients.setupFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.autoconfigure.TestClients.AsyncClient;
import io.leasekit.spring.autoconfigure.TestClients.Injected;
import io.leasekit.spring.autoconfigure.TestClients.NoHttp;
import io.leasekit.spring.autoconfigure.TestClients.QualifiedClient;
import io.leasekit.spring.autoconfigure.TestClients.SilentClient;
import io.leasekit.store.LeaseStore;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;

@Tag("boot3")
class LeaseDynamoDbAutoConfigurationTest {

    private final NoHttp http = new NoHttp();
    private final ApplicationContextRunner runner = TestClients.runner(http);

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
    void switchedOffItCreatesNeitherStoreNorClient() {
        runner.withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
                .withPropertyValues("lease.enabled=false")
                .run(context -> {
                    assertThat(context.getBean(LeaseManager.class).tryAcquire("key"))
                            .isPresent();
                    assertThat(context.getBeanFactory().containsSingleton("leaseStore"))
                            .isFalse();
                    assertThat(context.getBeanFactory().containsSingleton(CLIENT))
                            .isFalse();
                });
    }

    @Test
    void aStoreOfTheApplicationsWins() {
        runner.withBean(InMemoryLeaseStore.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(LeaseStore.class)
                        .doesNotHaveBean(CheckedStore.class)
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
                                + "', expected one created by DynamoDbAsyncClient.builder()"));
    }

    @Test
    void theClientIsNoCandidateForTheApplicationsInjections() {
        runner.withUserConfiguration(AsyncClient.class).run(context -> {
            assertThat(context.getBeanProvider(DynamoDbAsyncClient.class).getIfUnique())
                    .isNotNull();
            DynamoDbAsyncClient injected = context.getBean(Injected.class).client();
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

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aBlankHalfOfTheCredentialsIsNamed(String blank) {
        for (String half : new String[] {"secret-key", "access-key"}) {
            for (String manager : new String[] {"lease."}) {
                runner.withPropertyValues(
                                "lease.dynamodb.region=us-east-2",
                                manager + "dynamodb.access-key=id",
                                manager + "dynamodb.secret-key=secret",
                                manager + "dynamodb." + half + "=" + blank)
                        .run(context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .isInstanceOf(LeaseSetupException.class)
                                .hasMessage("Property '" + manager + "dynamodb." + half
                                        + "' is not set, expected a value, because the other part of the credentials is"
                                        + " set"));
            }
        }
    }

    @Test
    void anHttpClientOfACustomizersIsRefusedWithTheFix() {
        runner.withPropertyValues(connectionProperties())
                .withBean(
                        "custom",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.httpClient(new NoHttp()))
                .run(context -> assertThat(setupFailure(context, CLIENT))
                        .hasMessageStartingWith("The DynamoDB client for leases cannot be created: ")
                        .asInstanceOf(InstanceOfAssertFactories.type(LeaseSetupException.class))
                        .extracting(LeaseSetupException::fix)
                        .isEqualTo("Correct the LeaseDynamoDbClientCustomizer beans. An HTTP client is set"
                                + " with httpClientBuilder()."));
    }

    @Test
    void withoutACustomizerTheClientIsNettys() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseDynamoDbAutoConfiguration.class))
                .withPropertyValues(connectionProperties())
                .run(context -> assertThat(context.getBean(CLIENT, DynamoDbAsyncClient.class)
                                .serviceClientConfiguration()
                                .region())
                        .isEqualTo(Region.US_EAST_2));
    }

    @Test
    void theClientIsClosedWithTheContext() {
        runner.withPropertyValues(connectionProperties()).run(context -> {
            assertThat(connection(context).region()).isEqualTo(Region.US_EAST_2);
            context.close();
            assertThat(http.closed).isTrue();
        });
    }
}
