package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.store.Edits;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** The translation of each reply, and of a missing one. */
class DynamoDbRepliesTest extends AnsweredByWireMock {

    private static final Instant DATE = Instant.parse("2026-11-20T12:00:07Z");
    private static final Duration PLENTY = Duration.ofMinutes(10);
    private static final RenewCommand RENEW =
            new RenewCommand("key", "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);

    private final DynamoDbLeaseStore store = DynamoDbLeaseStore.create(client, "leases");
    private final DynamoDbLeaseStore retryingStore = DynamoDbLeaseStore.create(retryingClient, "leases");

    static Stream<Arguments> errors() {
        return Stream.of(
                Arguments.of(FailureKind.THROTTLED, "throughput exceeded", RecordedReplies.throughputExceeded()),
                Arguments.of(FailureKind.THROTTLED, "throttled", RecordedReplies.throttled()),
                Arguments.of(FailureKind.THROTTLED, "request limit", RecordedReplies.requestLimitExceeded()),
                Arguments.of(FailureKind.CONFLICT, "transaction conflict", RecordedReplies.transactionConflict()),
                Arguments.of(FailureKind.CONFLICT, "replicated write", RecordedReplies.replicatedWriteConflict()),
                Arguments.of(FailureKind.NOT_APPLIED, "signature expired", RecordedReplies.signatureExpired()),
                Arguments.of(FailureKind.NOT_APPLIED, "time too skewed", RecordedReplies.requestTimeTooSkewed()),
                Arguments.of(FailureKind.UNKNOWN, "internal error", RecordedReplies.internalServerError()),
                Arguments.of(FailureKind.UNKNOWN, "unavailable", RecordedReplies.serviceUnavailable()),
                Arguments.of(FailureKind.NOT_APPLIED, "wrong secret", RecordedReplies.wrongSecret()),
                Arguments.of(FailureKind.REJECTED, "access denied", RecordedReplies.accessDenied("UpdateItem")),
                Arguments.of(FailureKind.NOT_APPLIED, "unknown credentials", RecordedReplies.unknownCredentials()),
                Arguments.of(FailureKind.NOT_APPLIED, "expired credentials", RecordedReplies.expiredCredentials()),
                Arguments.of(FailureKind.REJECTED, "no such table", RecordedReplies.noSuchTable()),
                Arguments.of(FailureKind.REJECTED, "invalid request", RecordedReplies.invalidRequest()));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("errors")
    void anErrorOfDynamoDbTellsWhetherTheWriteWasApplied(
            FailureKind kind, String what, ResponseDefinitionBuilder reply) {
        answer(reply);

        StoreReply.Failed failed = failed(store, PLENTY);

        assertThat(failed.kind()).isEqualTo(kind);
        assertThat(failed.date()).isEqualTo(DATE);
        assertThat(failed.resent()).isFalse();
    }

    static Stream<Arguments> proxies() {
        return Stream.of(302, 400, 403, 404, 407, 429, 500, 502, 503, 504).map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void anAnswerOfSomethingElseTellsNeitherTheTimeNorWhatBecameOfTheWrite(int status) {
        answer(RecordedReplies.ofProxy(status));

        StoreReply.Failed failed = failed(store, PLENTY);

        assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed.date()).isNull();
    }

    @Test
    void aRefusedConnectionIsNotApplied() throws IOException {
        try (Socket closed = new Socket()) {
            closed.bind(new InetSocketAddress("localhost", 0)); // nobody else gets the port, and nobody listens there

            assertThat(failedAt(URI.create("http://localhost:" + closed.getLocalPort()))
                            .kind())
                    .isEqualTo(FailureKind.NOT_APPLIED);
        }
    }

    @Test
    void anUnknownHostIsNotApplied() {
        assertThat(failedAt(URI.create("http://nowhere.invalid")).kind()).isEqualTo(FailureKind.NOT_APPLIED);
    }

    @Test
    void aPeerThatSpeaksNoTlsIsNotToldApart() {
        assertThat(failedAt(URI.create("https://localhost:" + server.port())).kind())
                .isIn(FailureKind.NOT_APPLIED, FailureKind.UNKNOWN);
    }

    private static StoreReply.Failed failedAt(URI endpoint) {
        try (DynamoDbAsyncClient lost = LocalDynamoDb.clientBuilder(endpoint).build()) {
            return failed(DynamoDbLeaseStore.create(lost, "leases"), PLENTY);
        }
    }

    @Test
    void aHungPeerIsUnknownAtTheDeadline() {
        answer(RecordedReplies.ok().withFixedDelay(20_000));
        long begun = System.nanoTime();

        StoreReply.Failed failed = failed(store, Duration.ofMillis(300));

        assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed.cause()).isInstanceOf(ApiCallTimeoutException.class);
        assertThat(failed.date()).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(290));
    }

    @Test
    void aDeadlineOfLessThanAMillisecondIsADeadline() {
        answer(RecordedReplies.ok().withFixedDelay(3_000));

        assertThat(failed(store, Duration.ofNanos(1)).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    static Stream<Fault> faults() {
        return Stream.of(Fault.values());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aBrokenConnectionIsUnknown(Fault fault) {
        answer(aResponse().withFault(fault));

        assertThat(failed(store, PLENTY).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aReplyThatCannotBeReadIsUnknown() {
        answer(RecordedReplies.reply(200, "{\"Attributes\":"));

        assertThat(failed(store, PLENTY).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aClosedClientIsAValueToo() {
        DynamoDbAsyncClient closed = LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .build();
        DynamoDbLeaseStore late = DynamoDbLeaseStore.create(closed, "leases");
        closed.close();

        assertThat(failed(late, PLENTY).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void anInterruptedThreadsRequestIsSentAndItsInterruptKept() {
        answer(RecordedReplies.ok());
        Thread.currentThread().interrupt();

        CompletionStage<StoreReply> sent = store.send(new StoreRequest.Write(RENEW), PLENTY);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(sent.toCompletableFuture().join()).isInstanceOf(StoreReply.Applied.class);
    }

    @Test
    void anInterruptThatMeetsAnErrorOfTheSdkIsKept() {
        DynamoDbLeaseStore breaking = DynamoDbLeaseStore.create(new BreakingClient(), "leases");
        Thread.currentThread().interrupt();

        CompletionStage<StoreReply> sent = breaking.send(new StoreRequest.Write(RENEW), PLENTY);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(sent.toCompletableFuture().join())
                .isInstanceOfSatisfying(
                        StoreReply.Failed.class,
                        failed -> assertThat(failed.cause()).isInstanceOf(NoClassDefFoundError.class));
    }

    /** A client a part of which is not in the class path. */
    private static final class BreakingClient implements DynamoDbAsyncClient {

        @Override
        public CompletableFuture<UpdateItemResponse> updateItem(UpdateItemRequest request) {
            throw new NoClassDefFoundError("by design");
        }

        @Override
        public DynamoDbServiceClientConfiguration serviceClientConfiguration() {
            return client.serviceClientConfiguration();
        }

        @Override
        public String serviceName() {
            return client.serviceName();
        }

        @Override
        public void close() {}
    }

    @Test
    void anInterruptThatTheSdkMeetsIsKept() {
        DynamoDbLeaseStore interrupting = DynamoDbLeaseStore.create(
                LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                        .overrideConfiguration(c -> c.addExecutionInterceptor(new ExecutionInterceptor() {
                            @Override
                            public void beforeExecution(
                                    Context.BeforeExecution context, ExecutionAttributes attributes) {
                                Thread.currentThread().interrupt();
                            }
                        }))
                        .build(),
                "leases");

        StoreReply reply = interrupting
                .send(new StoreRequest.Write(RENEW), PLENTY)
                .toCompletableFuture()
                .join();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(reply).isInstanceOf(StoreReply.Failed.class);
    }

    // ---- dates

    @Test
    void anAppliedWriteTellsTheTime() {
        answer(RecordedReplies.ok());

        assertThat(reply(store, PLENTY)).isEqualTo(new StoreReply.Applied(null, DATE, false));
    }

    @Test
    void aRefusalTellsTheTimeAndTheItem() {
        answer(RecordedReplies.refused("{\"key\":{\"S\":\"key\"},\"lease_version\":{\"S\":\"v-9\"}}"));

        StoreReply.Refused refused = (StoreReply.Refused) reply(store, PLENTY);

        assertThat(refused.date()).isEqualTo(DATE);
        assertThat(refused.item()).isNotNull();
        assertThat(refused.item().version()).isEqualTo("v-9");
    }

    @Test
    void aDateThatIsNoneIsNoTime() {
        answer(aResponse()
                .withHeader("x-amzn-RequestId", "1")
                .withHeader("Date", "yesterday")
                .withBody("{}"));

        assertThat(reply(store, PLENTY).date()).isNull();
    }

    @Test
    void aSuccessThatIsNotDynamoDbsIsNone() {
        answer(RecordedReplies.ofProxy(200).withBody("{}"));

        assertThat(failed(store, PLENTY).kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed(store, PLENTY).date()).isNull();
        assertThat(failed(store, PLENTY).cause())
                .hasMessage(
                        "Reply is not from DynamoDB: it has no 'x-amzn-RequestId'; a proxy or another intermediary has"
                                + " answered");
    }

    @Test
    void aRefusalThatIsNotDynamoDbsIsNone() {
        answer(RecordedReplies.ofProxy(400).withBody("{\"__type\":\"ConditionalCheckFailedException\",\"Item\":{}}"));

        assertThat(failed(store, PLENTY).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    // ---- copies sent by the SDK

    @Test
    void afterASuccessARetryingClientCannotTellHowManyCopiesItSent() {
        answer(RecordedReplies.ok());

        assertThat(reply(retryingStore, PLENTY).resent()).isTrue();
    }

    @Test
    void aRefusalOfTheOnlyCopyIsNotResent() {
        answer(RecordedReplies.refused("{}"));

        assertThat(reply(retryingStore, PLENTY).resent()).isFalse();
    }

    @Test
    void aRefusalAfterAnotherCopyIsResent() {
        answerFirst(RecordedReplies.internalServerError());
        answer(RecordedReplies.refused("{}"));

        StoreReply reply = reply(retryingStore, PLENTY);

        assertThat(reply).isInstanceOf(StoreReply.Refused.class);
        assertThat(reply.resent()).isTrue();
    }

    @Test
    void aThrottledCopyAfterAnotherIsNoSignThatNothingWasApplied() {
        answerFirst(RecordedReplies.internalServerError());
        answer(RecordedReplies.throttled());

        StoreReply.Failed failed = failed(retryingStore, PLENTY);

        assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed.resent()).isTrue();
    }

    @Test
    void aRejectedCopyAfterAnotherIsRejectedAndResent() {
        answerFirst(RecordedReplies.internalServerError());
        answer(RecordedReplies.accessDenied("UpdateItem"));

        StoreReply.Failed failed = failed(retryingStore, PLENTY);

        assertThat(failed.kind()).isEqualTo(FailureKind.REJECTED);
        assertThat(failed.resent()).isTrue();
    }

    @Test
    void theDeadlineCoversAllCopies() {
        answerFirst(RecordedReplies.internalServerError());
        answer(RecordedReplies.ok().withFixedDelay(3_000));

        StoreReply.Failed failed = failed(retryingStore, Duration.ofMillis(500));

        assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed.resent()).isTrue();
    }

    @Test
    void aClientOfTheSdksDefaultsCountsAsRetrying() {
        try (DynamoDbAsyncClient plain = LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .overrideConfiguration(defaults -> {})
                .build()) {
            answer(RecordedReplies.ok());

            assertThat(reply(DynamoDbLeaseStore.create(plain, "leases"), PLENTY).resent())
                    .isTrue();
        }
    }

    // ---- items that are no leases

    static Stream<Arguments> malformed() {
        String token = "an integer of type N from 1 to " + (Long.MAX_VALUE / 4 - 1);
        return Stream.of(
                Arguments.of("\"lease_version\":{\"N\":\"7\"}", "'lease_version' is of type N, expected type S"),
                Arguments.of("\"lease_version\":{\"NULL\":true}", "'lease_version' is of type NUL, expected type S"),
                Arguments.of("\"fencing_token\":{\"S\":\"7\"}", "'fencing_token' is of type S, expected " + token),
                Arguments.of("\"fencing_token\":{\"N\":\"1.5\"}", "'fencing_token' is 1.5, expected " + token),
                Arguments.of("\"fencing_token\":{\"N\":\"0\"}", "'fencing_token' is 0, expected " + token),
                Arguments.of("\"fencing_token\":{\"N\":\"-7\"}", "'fencing_token' is -7, expected " + token),
                Arguments.of("\"fencing_token\":{\"N\":\"1E+30\"}", "'fencing_token' is 1E+30, expected " + token),
                Arguments.of(
                        "\"fencing_token\":{\"N\":\"2305843009213693951\"}",
                        "'fencing_token' is 2305843009213693951, expected " + token));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void anItemThatIsNoLeaseIsRejectedAndNamed(String attribute, String text) {
        answer(RecordedReplies.refused("{\"key\":{\"S\":\"key\"}," + attribute + "}"));

        StoreReply.Failed failed = failed(store, PLENTY);

        assertThat(failed.kind()).isEqualTo(FailureKind.REJECTED);
        assertThat(failed.cause())
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Item is not a lease: attribute " + text + "; the table must hold leases only");
        assertThat(failed.date()).isEqualTo(DATE);
    }

    @Test
    void theErrorOfAThrottledWriteIsCausedByTheSdksOwn() {
        answer(RecordedReplies.throttled());

        assertThat(failed(store, PLENTY).cause().getCause())
                .isInstanceOf(software.amazon.awssdk.services.dynamodb.model.ThrottlingException.class)
                .isNotInstanceOf(ConditionalCheckFailedException.class);
    }

    // ---- helpers

    private static void answer(ResponseDefinitionBuilder reply) {
        server.stubFor(any(anyUrl()).atPriority(2).willReturn(reply));
    }

    private static void answerFirst(ResponseDefinitionBuilder reply) {
        server.stubFor(any(anyUrl())
                .atPriority(1)
                .inScenario("first")
                .whenScenarioStateIs(Scenario.STARTED)
                .willSetStateTo("others")
                .willReturn(reply));
    }

    private static StoreReply.Failed failed(DynamoDbLeaseStore store, Duration timeout) {
        StoreReply reply = reply(store, timeout);
        assertThat(reply).isInstanceOf(StoreReply.Failed.class);
        return (StoreReply.Failed) reply;
    }

    private static StoreReply reply(DynamoDbLeaseStore store, Duration timeout) {
        return store.send(new StoreRequest.Write(RENEW), timeout)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.MINUTES)
                .join();
    }
}
