package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.store.Edits;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Credentials that expire or are rotated while the application runs, and those that never were. */
@Tag("full")
class CredentialsTest extends AnsweredByWireMock {

    private static final RenewCommand RENEW =
            new RenewCommand("key", "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);

    private static StoreReply.Failed failed(DynamoDbAsyncClient of) {
        return (StoreReply.Failed) DynamoDbLeaseStore.create(of, "leases")
                .send(new StoreRequest.Write(RENEW), Duration.ofMinutes(10))
                .toCompletableFuture()
                .join();
    }

    private static void answer(ResponseDefinitionBuilder reply) {
        server.stubFor(any(anyUrl()).willReturn(reply));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ExpiredTokenException | The security token included in the request is expired | have expired",
                "ExpiredToken | expired | have expired",
                "TokenRefreshRequired | refresh | have expired",
                "UnrecognizedClientException | The security token included in the request is invalid | does not know",
                "InvalidClientTokenId | The security token included in the request is invalid. | does not know",
                "InvalidAccessKeyId | unknown | does not know",
                "InvalidSignatureException | Signature expired: 20261120T110000Z is now earlier | check NTP",
                "InvalidSignatureException | Signature not yet current: 20261120T110000Z | check NTP",
                "RequestExpired | too old | check NTP",
                "RequestTimeTooSkewed | skewed | check NTP",
                "InvalidSignatureException | The request signature we calculated does not match | secret key",
                "SignatureDoesNotMatch | The request signature we calculated does not match | secret key",
                "MissingAuthenticationTokenException | Request is missing Authentication Token | not anonymous",
                "IncompleteSignatureException | Authorization header requires 'Credential' | not anonymous",
            })
    void aRefusalOfTheCredentialsIsNotAppliedAndSaysWhatItIs(String code, String message, String text) {
        answer(RecordedReplies.credentials(code, message));

        StoreReply.Failed failed = failed(client);

        assertThat(failed.kind()).isEqualTo(FailureKind.NOT_APPLIED);
        assertThat(failed.cause()).hasMessageContaining(code).hasMessageContaining(text);
        assertThat(failed.cause().getCause()).isInstanceOf(AwsServiceException.class);
    }

    @ParameterizedTest
    @CsvSource({"ExpiredTokenException", "UnrecognizedClientException"})
    void whereCopiesMayHaveBeenSentItIsUnknown(String code) {
        server.stubFor(any(anyUrl())
                .inScenario("lost")
                .whenScenarioStateIs(Scenario.STARTED)
                .willReturn(RecordedReplies.internalServerError())
                .willSetStateTo("expired"));
        server.stubFor(any(anyUrl())
                .inScenario("lost")
                .whenScenarioStateIs("expired")
                .willReturn(RecordedReplies.credentials(code, "expired")));

        assertThat(failed(retryingClient).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aMissingPermissionIsRejectedAtOnce() {
        answer(RecordedReplies.accessDenied("UpdateItem"));

        assertThat(failed(client).kind()).isEqualTo(FailureKind.REJECTED);
    }

    private static DynamoDbAsyncClient clientWith(AwsCredentialsProvider credentials) {
        return LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .credentialsProvider(credentials)
                .build();
    }

    @Test
    void aSourceOfCredentialsThatRefusesHasLetNothingBeSent() {
        AwsServiceException ofSts = AwsServiceException.builder()
                .statusCode(403)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .serviceName("Sts")
                        .errorCode("AccessDenied")
                        .errorMessage("not authorized to perform: sts:AssumeRole")
                        .sdkHttpResponse(SdkHttpResponse.builder()
                                .statusCode(403)
                                .putHeader("x-amzn-RequestId", "1")
                                .build())
                        .build())
                .build();
        try (DynamoDbAsyncClient assuming = clientWith(() -> {
            throw ofSts;
        })) {
            StoreReply.Failed failed = failed(assuming);

            assertThat(failed.kind()).isEqualTo(FailureKind.NOT_APPLIED);
            assertThat(failed.cause())
                    .hasMessageContaining("sts:AssumeRole")
                    .hasMessageStartingWith("No AWS credentials");
        }
        server.verify(0, com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor(anyUrl()));
    }

    @ParameterizedTest
    @CsvSource({
        "Unable to load credentials from any of the providers in the chain",
        "Failed to load credentials from IMDS.",
        "The SSO session associated with this profile has expired or is otherwise invalid.",
        "Unable to contact EC2 instance metadata service."
    })
    void missingCredentialsSayWhatTheyAreAndAreRetried(String text) {
        try (DynamoDbAsyncClient without = clientWith(() -> {
            throw SdkClientException.create(text);
        })) {
            StoreReply.Failed failed = failed(without);

            assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
            assertThat(failed.cause())
                    .hasMessageStartingWith("No AWS credentials could be loaded")
                    .hasMessageContaining(text);
        }
    }

    /** On EKS, the chain of the SDK lists this reason among those of all its sources. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "To use web identity tokens, the 'sts' service module must be on the class path.",
                "Unable to load credentials from any of the providers in the chain AwsCredentialsProviderChain() :"
                        + " [SystemPropertyCredentialsProvider(): Unable to load, WebIdentityTokenCredentialsProvider(): To"
                        + " use web identity tokens, the 'sts' service module must be on the class path.]"
            })
    void aMissingModuleForWebIdentityIsNamed(String text) {
        try (DynamoDbAsyncClient without = clientWith(() -> {
            throw text.startsWith("To") ? new IllegalStateException(text) : SdkClientException.create(text);
        })) {
            assertThat(failed(without).cause())
                    .hasMessageStartingWith("No AWS credentials could be loaded, expected the module"
                            + " 'software.amazon.awssdk:sts' on the class path")
                    .hasMessageContaining(text);
        }
    }

    /** The module is not on the class path of the tests, so this is the text of the SDK. */
    @Test
    void theSdkWithoutTheModuleForWebIdentityIsUnderstood() throws Exception {
        Path token = Files.createTempFile("token", null);
        try (DynamoDbAsyncClient without = clientWith(WebIdentityTokenFileCredentialsProvider.builder()
                .roleArn("arn:aws:iam::123456789012:role/app")
                .roleSessionName("app")
                .webIdentityTokenFile(token)
                .build())) {
            assertThat(failed(without).cause())
                    .hasMessageStartingWith("No AWS credentials could be loaded, expected the module"
                            + " 'software.amazon.awssdk:sts' on the class path");
            assertThatExceptionOfType(LeaseStoreException.class)
                    .isThrownBy(() -> new TableCalls("leases").await(without.listTables(), "ListTables"))
                    .withMessageContaining("the module 'software.amazon.awssdk:sts' on the class path");
        } finally {
            Files.delete(token);
        }
    }

    // ---- acquires

    @Test
    void anAcquireOutlivesARotation() {
        server.stubFor(any(anyUrl())
                .inScenario("rotation")
                .whenScenarioStateIs(Scenario.STARTED)
                .willReturn(RecordedReplies.unknownCredentials())
                .willSetStateTo("expired"));
        server.stubFor(any(anyUrl())
                .inScenario("rotation")
                .whenScenarioStateIs("expired")
                .willReturn(RecordedReplies.expiredCredentials())
                .willSetStateTo("renewed"));
        server.stubFor(any(anyUrl())
                .inScenario("rotation")
                .whenScenarioStateIs("renewed")
                .willReturn(RecordedReplies.ok()));

        try (LeaseManager leases = leases(Duration.ofMinutes(10))) {
            Optional<Lease> lease = leases.tryAcquire(LeaseRequest.of("key"));

            assertThat(lease).isPresent();
        }
    }

    @Test
    void credentialsThatStayExpiredFailAtTheStoreTimeoutAndSayWhatTheyAre() {
        answer(RecordedReplies.expiredCredentials());

        try (LeaseManager leases = leases(Duration.ofSeconds(3))) {
            assertThatExceptionOfType(LeaseStoreException.class)
                    .isThrownBy(() -> leases.tryAcquire(LeaseRequest.of("key")))
                    .withMessageContaining("The AWS credentials have expired (ExpiredTokenException)");
        }
        assertThat(server.getAllServeEvents()).hasSizeGreaterThan(1);
    }

    private static LeaseManager leases(Duration storeTimeout) {
        return LeaseManager.builder(DynamoDbLeaseStore.create(client, "leases"))
                .storeTimeout(storeTimeout)
                .build();
    }
}
