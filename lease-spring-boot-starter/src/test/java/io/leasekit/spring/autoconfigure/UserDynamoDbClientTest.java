package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static io.leasekit.spring.autoconfigure.TestClients.connection;
import static io.leasekit.spring.autoconfigure.TestClients.connectionProperties;
import static io.leasekit.spring.autoconfigure.TestClients.setupFailure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.leasekit.spring.autoconfigure.TestClients.AsyncClient;
import io.leasekit.spring.autoconfigure.TestClients.NoHttp;
import io.leasekit.spring.autoconfigure.TestClients.OtherSyncClient;
import io.leasekit.spring.autoconfigure.TestClients.PrimaryClient;
import io.leasekit.spring.autoconfigure.TestClients.SilentClient;
import io.leasekit.spring.autoconfigure.TestClients.SyncClient;
import java.net.URI;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

class UserDynamoDbClientTest {

    private static final String FIX =
            "Define a DynamoDbAsyncClient bean qualified as 'leaseDynamoDbAsyncClient', which leases then use unchanged";

    private final ApplicationContextRunner runner = TestClients.runner(new NoHttp());

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
                        "Leases need the connection of one DynamoDB client bean, found several: 'syncClient',"
                                + " 'otherSyncClient'",
                        "Make one of them @Primary. Or set the properties 'lease.dynamodb.*'. Or: " + FIX + "."));
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
                        "The properties 'lease.dynamodb.*' differ from the DynamoDB client bean 'syncClient', whose"
                                + " connection leases would use: 'lease.dynamodb.region' is 'us-east-1', and its region"
                                + " is 'eu-west-1'",
                        "Remove the properties. For a different connection: " + FIX + "."));
    }

    @Test
    void eachDifferenceIsNamedWithoutSecrets() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues(
                        "lease.dynamodb.region=eu-west-1",
                        "lease.dynamodb.endpoint=http://me:password@other:8000",
                        "lease.dynamodb.access-key=id-1",
                        "lease.dynamodb.secret-key=secret-1")
                .run(context -> assertThat(setupFailure(context, CLIENT).getMessage())
                        .endsWith(": 'lease.dynamodb.endpoint' is 'http://other:8000', and its endpoint is"
                                + " 'http://sync:8000'; 'lease.dynamodb.access-key' is set, and it has credentials of"
                                + " its own")
                        .doesNotContain("id-1", "secret-1"));
    }

    @Test
    void addressesThatDifferInTheirPasswordOnlyAreNotShownAsEqual() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues("lease.dynamodb.endpoint=http://me:password@sync:8000")
                .run(context -> assertThat(setupFailure(context, CLIENT).getMessage())
                        .endsWith(": 'lease.dynamodb.endpoint' has another user or password than its endpoint"
                                + " 'http://sync:8000'"));
    }

    @Test
    void emptyPropertiesContradictNoClient() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues(
                        "lease.dynamodb.region=",
                        "lease.dynamodb.endpoint=",
                        "lease.dynamodb.access-key=",
                        "lease.dynamodb.secret-key= ")
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.EU_WEST_1));
    }

    @Test
    void aClientThatAgreesWithThePropertiesIsFine() {
        runner.withUserConfiguration(SyncClient.class)
                .withPropertyValues("lease.dynamodb.region=eu-west-1", "lease.dynamodb.endpoint=http://sync:8000")
                .run(context -> assertThat(connection(context).region()).isEqualTo(Region.EU_WEST_1));
    }

    @Test
    void aMockStopsTheStartWithItsNameAndTheFix() {
        runner.withBean("mocked", DynamoDbClient.class, () -> mock(DynamoDbClient.class))
                .run(context -> assertUnderivable(context, "mocked"));
    }

    @Test
    void aClientThatTellsNothingStopsTheStartWithItsNameAndTheFix() {
        runner.withBean("dax", DynamoDbAsyncClient.class, SilentClient::new)
                .run(context -> assertUnderivable(context, "dax"));
    }

    private static void assertUnderivable(AssertableApplicationContext context, String bean) {
        String type = context.getBean(bean).getClass().getName();
        assertSetupFailure(
                context,
                "The DynamoDB client bean '" + bean + "' of type '" + type
                        + "' does not expose its region, credentials and endpoint, which leases need for a client of"
                        + " their own",
                FIX + ". In tests, define an InMemoryLeaseStore bean instead.");
    }

    private static void assertSetupFailure(AssertableApplicationContext context, String problem, String fix) {
        assertThat(setupFailure(context, CLIENT))
                .hasMessage(problem)
                .asInstanceOf(InstanceOfAssertFactories.type(LeaseSetupException.class))
                .extracting(LeaseSetupException::fix)
                .isEqualTo(fix);
    }
}
