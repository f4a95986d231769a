package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.matching.RequestPatternBuilder;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.engine.LogLines;
import java.net.URI;
import java.util.List;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The proof of permissions with replies that DynamoDB Local cannot give. */
class TablePermissionsTest {

    private static WireMockServer server;
    private static DynamoDbAsyncClient client;

    @BeforeAll
    static void start() {
        server = new WireMockServer(WireMockConfiguration.options().dynamicPort());
        server.start();
        client = LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.stop();
    }

    @BeforeEach
    void allIsAllowed() {
        server.resetAll();
        answer("UpdateItem", RecordedReplies.refused("null"));
        answer("DeleteItem", RecordedReplies.refused("null"));
        answer("GetItem", RecordedReplies.ok());
        answer("BatchExecuteStatement", statement("ConditionalCheckFailed"));
    }

    @RegisterExtension
    private final LogLines log = new LogLines("io.leasekit");

    private List<String> logged(PermissionCheck check) {
        log.list.clear();
        prove(check);
        return log.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .filter(line -> !line.startsWith("DEBUG"))
                .toList();
    }

    private static void prove(PermissionCheck check) {
        new TablePermissions(client, "leases", "orders/", true).prove(check);
    }

    @Test
    void refusedWritesAndAReadProveThePermissions() {
        assertThat(logged(PermissionCheck.FAIL)).isEmpty();

        for (String operation : new String[] {"UpdateItem", "DeleteItem", "GetItem"}) {
            server.verify(
                    1,
                    requested(operation)
                            .withRequestBody(matchingJsonPath("$.Key.key.S", equalTo("orders/#permissions"))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UpdateItem", "DeleteItem", "GetItem"})
    void aDeniedActionIsNamedWithTableKeyAndFix(String operation) {
        answer(operation, RecordedReplies.accessDenied(operation));

        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .isInstanceOf(LeaseTableException.class)
                .hasMessage("Permission 'dynamodb:" + operation + "' is missing for key 'orders/#permissions' in table"
                        + " 'leases', expected for all keys that begin with 'orders/': add to the IAM policy what is"
                        + " missing. If the policy allows only some keys ('dynamodb:LeadingKeys'), 'orders/*' must be among"
                        + " them. DynamoDB replied: AccessDeniedException: User: arn:aws:iam::123456789012:user/app is not"
                        + " authorized to perform: dynamodb:" + operation
                        + " on resource: arn:aws:dynamodb:us-east-1:123456789012:table/leases");
    }

    @Test
    void theTextOfAReplyChangesNoVerdictAndForgesNoLine() {
        for (String operation : List.of("UpdateItem", "GetItem", "DeleteItem")) {
            answer(operation, RecordedReplies.withForgedLine("ConditionalCheckFailedException"));
        }
        assertThat(logged(PermissionCheck.FAIL)).isEmpty();

        answer("GetItem", RecordedReplies.withForgedLine("ResourceNotFoundException"));
        assertThat(logged(PermissionCheck.FAIL)).isEmpty();

        answer("DeleteItem", RecordedReplies.withForgedLine("AccessDeniedException"));
        answer("UpdateItem", RecordedReplies.withForgedLine("AccessDeniedException"));
        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith(
                        "Permissions 'dynamodb:UpdateItem' and 'dynamodb:DeleteItem' are missing for key")
                .satisfies(error ->
                        assertThat(Throwables.getStackTrace(error).lines()).noneMatch(line -> line.startsWith("2026")));
    }

    /** The permissions for DynamoDB are there, but not those for the key that encrypts the table. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "KMS key access denied error: com.amazonaws.services.kms.model.AWSKMSException: The ciphertext refers to a"
                        + " customer master key that does not exist, does not exist in this region, or you are not allowed"
                        + " to access.",
                "User: arn:aws:iam::123456789012:user/app is not authorized to perform: kms:Decrypt on resource:"
                        + " arn:aws:kms:us-east-1:123456789012:key/1",
                "User: arn:aws:sts::123456789012:assumed-role/app/1 is not authorized to perform: kms:GenerateDataKey on"
                        + " resource: arn:aws:kms:us-east-1:123456789012:key/1 because no identity-based policy allows the"
                        + " kms:GenerateDataKey action",
                "User: arn:aws:iam::123456789012:user/app is not authorized to perform: kms:CreateGrant with an explicit"
                        + " deny in a service control policy",
                "KMS key access denied exception: the key is disabled, or its policy denies access"
            })
    void aDeniedKeyOfTheTableIsNoMissingPermissionOfDynamoDb(String message) {
        for (String operation : List.of("UpdateItem", "GetItem", "DeleteItem", "BatchExecuteStatement")) {
            answer(operation, RecordedReplies.accessDeniedBecause(message));
        }

        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("UpdateItem of table 'leases' failed: " + message.substring(0, 20))
                .hasMessageEndingWith(", expected the permissions for the table's KMS key, among them 'kms:Decrypt'")
                .hasMessageNotContaining("dynamodb:");
        assertThat(logged(PermissionCheck.WARN)).singleElement().asString().doesNotContain("dynamodb:");
    }

    /** A name with these letters is no key that encrypts the table. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "User: arn:aws:iam::123456789012:role/kms-admin is not authorized to perform: dynamodb:UpdateItem on"
                        + " resource: arn:aws:dynamodb:us-east-1:123456789012:table/kms-leases",
                "User: arn:aws:sts::123456789012:assumed-role/kms/kms is not authorized to perform: dynamodb:UpdateItem"
                        + " with an explicit deny in a service control policy",
                "User: arn:aws:sts::123456789012:assumed-role/app/1 is not authorized to perform: dynamodb:UpdateItem"
                        + " because no VPC endpoint policy allows the dynamodb:UpdateItem action"
            })
    void aDeniedActionOfDynamoDbIsNamedWhateverItsReasonIs(String message) {
        answer("UpdateItem", RecordedReplies.accessDeniedBecause(message));

        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("Permission 'dynamodb:UpdateItem' is missing for key")
                .hasMessageEndingWith(message);
    }

    @Test
    void severalDeniedActionsAreNamedTogether() {
        answer("UpdateItem", RecordedReplies.accessDenied("UpdateItem"));
        answer("GetItem", RecordedReplies.accessDenied("GetItem"));

        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .hasMessageStartingWith("Permissions 'dynamodb:UpdateItem' and 'dynamodb:GetItem' are missing for key");
    }

    @Test
    void withoutAPrefixThePolicyOfSomeKeysIsExplained() {
        answer("UpdateItem", RecordedReplies.accessDenied("UpdateItem"));

        assertThatThrownBy(() -> new TablePermissions(client, "leases", "", false).prove(PermissionCheck.FAIL))
                .hasMessageContaining("for key '#permissions' in table 'leases', expected for the keys of all leases")
                .hasMessageContaining("('dynamodb:LeadingKeys'), the key prefix of leases must be set to theirs");
    }

    @Test
    void aWarningCanTakeThePlaceOfTheError() {
        answer("UpdateItem", RecordedReplies.accessDenied("UpdateItem"));

        assertThat(logged(PermissionCheck.WARN))
                .singleElement()
                .asString()
                .startsWith("WARN Permission 'dynamodb:UpdateItem' is missing for key 'orders/#permissions'")
                .endsWith("; calls that need a lease may fail");
    }

    @Test
    void switchedOffNothingIsSent() {
        prove(PermissionCheck.OFF);

        server.verify(0, postRequestedFor(urlEqualTo("/")));
    }

    @Test
    void deletesAreProvedOnlyIfThereAreAny() {
        new TablePermissions(client, "leases", "", false).prove(PermissionCheck.FAIL);

        server.verify(0, requested("DeleteItem"));
    }

    @Test
    void deniedBatchesAreAWarning() {
        String warning =
                "WARN Permission 'dynamodb:PartiQLUpdate' is missing for key 'orders/#permissions' in table 'leases',"
                        + " so each renewal and release is a request of its own, up to 25 times as many: add it to the IAM policy for keys that"
                        + " begin with 'orders/'";

        answer("BatchExecuteStatement", RecordedReplies.accessDenied("PartiQLUpdate"));
        assertThat(logged(PermissionCheck.FAIL)).containsExactly(warning);
        answer("BatchExecuteStatement", statement("AccessDenied"));
        assertThat(logged(PermissionCheck.FAIL)).containsExactly(warning);
    }

    @Test
    void aServerWithoutBatchesIsNoMatterOfPermissions() {
        answer("BatchExecuteStatement", RecordedReplies.unknownOperation());
        assertThat(logged(PermissionCheck.FAIL)).isEmpty();
        answer("BatchExecuteStatement", RecordedReplies.notImplemented());
        assertThat(logged(PermissionCheck.FAIL)).isEmpty();
    }

    @Test
    void whatSaysNothingAboutPermissionsIsNoVerdict() {
        for (ResponseDefinitionBuilder reply : new ResponseDefinitionBuilder[] {
            RecordedReplies.internalServerError(),
            RecordedReplies.throttled(),
            RecordedReplies.ofProxy(403),
            RecordedReplies.noSuchTable(),
            RecordedReplies.transactionConflict()
        }) {
            answer("UpdateItem", reply);
            answer("GetItem", reply);

            assertThatCode(() -> prove(PermissionCheck.FAIL)).doesNotThrowAnyException();
        }
    }

    @Test
    void aWriteThatIsRejectedForAnotherReasonStopsTheStartToo() {
        answer("UpdateItem", RecordedReplies.invalidRequest());

        assertThatThrownBy(() -> prove(PermissionCheck.FAIL))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("UpdateItem of table 'leases' failed: ");
    }

    private static RequestPatternBuilder requested(String operation) {
        return postRequestedFor(urlEqualTo("/")).withHeader("X-Amz-Target", equalTo("DynamoDB_20120810." + operation));
    }

    private static void answer(String operation, ResponseDefinitionBuilder reply) {
        server.stubFor(post(urlEqualTo("/"))
                .withHeader("X-Amz-Target", equalTo("DynamoDB_20120810." + operation))
                .willReturn(reply));
    }

    private static ResponseDefinitionBuilder statement(String code) {
        return RecordedReplies.reply(
                200, "{\"Responses\":[{\"Error\":{\"Code\":\"" + code + "\",\"Message\":\"seen\"}}]}");
    }
}
