package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.engine.LogLines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** Tables and errors that DynamoDB Local cannot produce. */
class LeaseTableTest {

    private static final String KEY = "\"KeySchema\":[{\"AttributeName\":\"key\",\"KeyType\":\"HASH\"}],"
            + "\"AttributeDefinitions\":[{\"AttributeName\":\"key\",\"AttributeType\":\"S\"}]";

    private static WireMockServer server;
    private static DynamoDbAsyncClient client;

    private final LeaseTable table = LeaseTable.of(client, "leases");

    @RegisterExtension
    private final LogLines log = new LogLines("io.leasekit");

    @BeforeAll
    static void start() {
        server = new WireMockServer(WireMockConfiguration.options().dynamicPort());
        server.start();
        client = LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .build();
        AnsweredByWireMock.sendTheFirstRequest(client);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.stop();
    }

    @BeforeEach
    void aGoodTable() {
        server.resetAll();
        answer("DescribeTable", table("ACTIVE", ""));
        answer("DescribeTimeToLive", ttl("ENABLED", "lease_expiry"));
    }

    @Test
    void aGoodTableIsVerified() {
        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void repliesThatTellNoTimeAreWrong() {
        answer(
                "DescribeTable",
                aResponse()
                        .withHeader("Content-Type", "application/x-amz-json-1.0")
                        .withHeader("x-amzn-RequestId", "6A700B70470B437EB7B3FA1B39C15CE8")
                        .withHeader("Date", "yesterday")
                        .withBody("{\"Table\":{\"TableStatus\":\"ACTIVE\"," + KEY + "}}"));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage("Reply for table 'leases' lacks the header 'Date' or 'x-amzn-RequestId', expected both in"
                        + " each reply, because leases need DynamoDB's time: let proxies pass both headers on");
    }

    @Test
    void itemTtlOfATableThatIsBeingCreatedIsLookedAtWhenItIsActive() {
        answerInTurn("DescribeTable", table("CREATING", ""), table("ACTIVE", ""));
        answerInTurn("DescribeTimeToLive", ttl("DISABLED", ""), ttl("ENABLED", "lease_expiry"));

        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void itemTtlThatIsBeingEnabledIsRight() {
        answer("DescribeTimeToLive", ttl("ENABLING", "lease_expiry"));

        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void itemTtlThatIsBeingDisabledIsWrong() {
        answer("DescribeTimeToLive", ttl("DISABLING", "lease_expiry"));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "Table 'leases' has no item TTL (DISABLING), expected item TTL on 'lease_expiry'");
    }

    @Test
    void anEventuallyConsistentGlobalTableIsRefused() {
        answer("DescribeTable", table("ACTIVE", "\"MultiRegionConsistency\":\"EVENTUAL\"," + replicas()));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "Table 'leases' is a global table with eventually consistent replicas (eu-west-1,"
                                + " us-east-2), expected a table of one region or one with multi-Region strong consistency: two"
                                + " regions would grant the same lease; use another table, made with: aws dynamodb create-table");
    }

    @Test
    void aGlobalTableThatDoesNotTellItsConsistencyIsRefused() {
        answer("DescribeTable", table("ACTIVE", replicas()));

        assertThatThrownBy(table::verify).isInstanceOf(LeaseTableException.class);
    }

    @Test
    void aTableOfOneRegionIsVerified() {
        assertThat(table.verify()).isEqualTo(LeaseTableKind.REGIONAL);
    }

    @Test
    void aStronglyConsistentGlobalTableIsVerifiedWithoutItemTtl() {
        answer("DescribeTable", table("ACTIVE", "\"MultiRegionConsistency\":\"STRONG\"," + replicas()));
        answer("DescribeTimeToLive", ttl("DISABLED", null));

        assertThat(table.verify()).isEqualTo(LeaseTableKind.STRONGLY_CONSISTENT_GLOBAL);
    }

    @Test
    void aStronglyConsistentGlobalTableIsNotGivenItemTtl() {
        answer("DescribeTable", table("ACTIVE", "\"MultiRegionConsistency\":\"STRONG\"," + replicas()));
        answer("DescribeTimeToLive", ttl("DISABLED", null));
        answer("UpdateTimeToLive", RecordedReplies.invalidRequest());

        assertThatCode(table::createIfMissing).doesNotThrowAnyException();
        server.verify(
                0,
                postRequestedFor(urlEqualTo("/"))
                        .withHeader("X-Amz-Target", equalTo("DynamoDB_20120810.UpdateTimeToLive")));
    }

    @Test
    void aFailedRequestIsSentAgain() {
        answerInTurn(
                "DescribeTable",
                RecordedReplies.internalServerError(),
                RecordedReplies.throttled(),
                RecordedReplies.serviceUnavailable(),
                table("ACTIVE", ""));

        assertThat(table.verify()).isEqualTo(LeaseTableKind.REGIONAL);
    }

    @Test
    void aCallerThatRepeatsChecksItselfSendsEachRequestOnce() {
        answerInTurn("DescribeTable", RecordedReplies.internalServerError(), table("ACTIVE", ""));

        assertThatThrownBy(() -> LeaseTable.once(client, "leases").verify()).isInstanceOf(LeaseStoreException.class);
    }

    @Test
    void aDescribeThatIsDeniedNamesThePermission() {
        answer("DescribeTable", RecordedReplies.accessDenied("DescribeTable"));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "DescribeTable of table 'leases' failed: User: arn:aws:iam::123456789012:user/app is"
                                + " not authorized to perform: dynamodb:DescribeTable")
                .hasMessageEndingWith(", expected the permission dynamodb:DescribeTable")
                .hasCauseInstanceOf(DynamoDbException.class);
    }

    @Test
    void theTextOfAReplyChangesNoVerdictAndForgesNoLine() {
        answer("DescribeTimeToLive", RecordedReplies.withForgedLine("AccessDeniedException"));
        assertThat(table.verify()).isEqualTo(LeaseTableKind.REGIONAL);

        aGoodTable();
        answerInTurn("DescribeTable", RecordedReplies.withForgedLine("ResourceNotFoundException"), table("ACTIVE", ""));
        answer("CreateTable", RecordedReplies.withForgedLine("ResourceInUseException"));
        assertThatCode(table::createIfMissing).doesNotThrowAnyException();

        aGoodTable();
        answer("DescribeTable", RecordedReplies.withForgedLine("AccessDeniedException"));
        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageEndingWith(", expected the permission dynamodb:DescribeTable")
                .satisfies(error ->
                        assertThat(Throwables.getStackTrace(error).lines()).noneMatch(line -> line.startsWith("2026")));
    }

    @Test
    void unknownCredentialsAreAnErrorForGood() {
        answer("DescribeTable", RecordedReplies.unknownCredentials());

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "DescribeTable of table 'leases' failed: DynamoDB does not know the AWS credentials (UnrecognizedClientException)");
    }

    @Test
    void aTableWhoseItemTtlMayNotBeDescribedIsVerified() {
        answer("DescribeTimeToLive", RecordedReplies.accessDenied("DescribeTimeToLive"));

        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void aRepeatedCheckWarnsOfItsItemTtlOnce() {
        answer("DescribeTimeToLive", RecordedReplies.accessDenied("DescribeTimeToLive"));

        table.verify();
        table.verify();

        assertThat(log.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .singleElement()
                .asString()
                .contains("Item TTL of table 'leases' could not be checked");
    }

    @Test
    void anAbsentTableIsAnErrorThatNamesThePlace() {
        answer("DescribeTable", RecordedReplies.noSuchTable());

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("Table 'leases' does not exist at http://localhost:" + server.port()
                        + ", expected one with partition key 'key'");
    }

    @Test
    void anArnIsNoNameOfATable() {
        String arn = "arn:aws:dynamodb:us-east-1:123456789012:table/jobs";
        List<ThrowingCallable> uses = List.of(
                () -> LeaseTable.of(client, arn),
                () -> DynamoDbLeaseStore.create(client, arn),
                () -> CheckedStore.open(client, arn),
                () -> CheckedStore.openOrCreate(client, arn));

        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("Table name is '" + arn + "', expected the name 'jobs', because not all"
                                + " requests of leases take an ARN: give the client the region and credentials of the table's"
                                + " account"));
    }

    @Test
    void aTableThatMayNotBeCreatedNamesThePermission() {
        answer("DescribeTable", RecordedReplies.noSuchTable());
        answer("CreateTable", RecordedReplies.accessDenied("CreateTable"));

        assertThatThrownBy(table::createIfMissing)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageEndingWith(", expected the permission dynamodb:CreateTable");
    }

    @Test
    void aTableWithAnotherKeyIsNotGivenItemTtl() {
        answer(
                "DescribeTable",
                reply("{\"Table\":{\"TableStatus\":\"ACTIVE\","
                        + "\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}],"
                        + "\"AttributeDefinitions\":[{\"AttributeName\":\"id\",\"AttributeType\":\"N\"}]}}"));

        assertThatThrownBy(table::createIfMissing)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "Table 'leases' has partition key 'id' of type N, expected partition key 'key' of"
                                + " type S and no sort key; a table's key cannot be changed: use another table");
        server.verify(
                0,
                postRequestedFor(urlEqualTo("/"))
                        .withHeader("X-Amz-Target", equalTo("DynamoDB_20120810.UpdateTimeToLive")));
    }

    @Test
    void itemTtlThatAnotherProcessEnabledMeanwhileIsRight() {
        answerInTurn("DescribeTimeToLive", ttl("DISABLED", null), ttl("ENABLING", "lease_expiry"));
        answer("UpdateTimeToLive", RecordedReplies.invalidRequest());

        assertThatCode(table::createIfMissing).doesNotThrowAnyException();
    }

    @Test
    void itemTtlThatCannotBeEnabledIsAnError() {
        answer("DescribeTimeToLive", ttl("DISABLED", null));
        answer("UpdateTimeToLive", RecordedReplies.accessDenied("UpdateTimeToLive"));

        assertThatThrownBy(table::createIfMissing)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageEndingWith(", expected the permission dynamodb:UpdateTimeToLive");
    }

    @Test
    void aTableThatIsBeingCreatedIsWaitedFor() {
        answerInTurn("DescribeTable", table("CREATING", ""), table("CREATING", ""), table("ACTIVE", ""));

        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void anOutageIsNoVerdict() {
        answer("DescribeTable", RecordedReplies.internalServerError());
        assertUnreachable();

        answer("DescribeTable", RecordedReplies.throttled());
        assertUnreachable();

        answer("DescribeTable", RecordedReplies.ofProxy(403));
        assertUnreachable();

        answer("DescribeTable", RecordedReplies.ofProxy(200).withBody("{}"));
        assertUnreachable();
    }

    @Test
    void aRefusedConnectionIsNoVerdict() throws IOException {
        try (Socket closed = new Socket()) {
            closed.bind(new InetSocketAddress("localhost", 0)); // nobody else gets the port, and nobody listens there
            DynamoDbAsyncClient nobody = LocalDynamoDb.clientBuilder(
                            URI.create("http://localhost:" + closed.getLocalPort()))
                    .build();

            assertThatThrownBy(() -> LeaseTable.of(nobody, "leases").verify())
                    .isInstanceOf(LeaseStoreException.class)
                    .hasMessageStartingWith("DescribeTable of table 'leases' failed: ")
                    .hasMessageContaining("Connection refused");
            nobody.close();
        }
    }

    private void assertUnreachable() {
        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageStartingWith("DescribeTable of table 'leases' failed: ");
    }

    @Test
    void anInterruptEndsTheWait() {
        answer("DescribeTable", table("CREATING", ""));
        Thread.currentThread().interrupt();

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessage("Interrupted while waiting for table 'leases'");
        assertThat(Thread.interrupted()).isTrue();
    }

    private static void answer(String operation, ResponseDefinitionBuilder reply) {
        server.stubFor(post(urlEqualTo("/"))
                .withHeader("X-Amz-Target", equalTo("DynamoDB_20120810." + operation))
                .willReturn(reply));
    }

    private static void answerInTurn(String operation, ResponseDefinitionBuilder... replies) {
        for (int i = 0; i < replies.length; i++) {
            server.stubFor(post(urlEqualTo("/"))
                    .withHeader("X-Amz-Target", equalTo("DynamoDB_20120810." + operation))
                    .inScenario(operation)
                    .whenScenarioStateIs(i == 0 ? "Started" : "after " + i)
                    .willSetStateTo("after " + Math.min(i + 1, replies.length - 1))
                    .willReturn(replies[i]));
        }
    }

    private static ResponseDefinitionBuilder table(String status, String more) {
        return reply("{\"Table\":{\"TableStatus\":\"" + status + "\"," + more + KEY + "}}");
    }

    private static String replicas() {
        return "\"Replicas\":[{\"RegionName\":\"us-east-2\"},{\"RegionName\":\"eu-west-1\"}],";
    }

    private static ResponseDefinitionBuilder ttl(String status, String attribute) {
        String name = attribute == null ? "" : ",\"AttributeName\":\"" + attribute + "\"";
        return reply("{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"" + status + "\"" + name + "}}");
    }

    private static ResponseDefinitionBuilder reply(String json) {
        return RecordedReplies.reply(200, json);
    }
}
