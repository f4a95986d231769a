package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.matching.RequestPatternBuilder;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The translation of cancelled transactions. */
class CancelledTransactionsTest extends AnsweredByWireMock {

    private static final Instant DATE = Instant.parse("2026-11-20T12:00:07Z");
    private static final String REFUSED = reason("ConditionalCheckFailed");
    private static final String NONE = reason("None");
    private static final Pattern TOKEN = Pattern.compile("\"ClientRequestToken\":\"([^\"]+)\"");

    @Test
    void aFailedConditionIsARefusalThatShowsItsItem() {
        answer(cancelled(
                NONE, reason("ConditionalCheckFailed", "{\"key\":{\"S\":\"b\"},\"lease_version\":{\"S\":\"v-9\"}}")));

        StoreReply reply = reply(client);

        LeaseItem shown = new LeaseItem("b", "v-9", null, null, null, null, null, null);
        assertThat(reply)
                .isEqualTo(new StoreReply.GroupRefused(List.of(new StoreReply.Refusal("b", shown)), DATE, false, 4.0));
    }

    @Test
    void aFailedConditionWithoutAnItemSaysThatThereIsNone() {
        answer(cancelled(REFUSED, NONE));

        assertThat(reply(client))
                .isEqualTo(new StoreReply.GroupRefused(List.of(new StoreReply.Refusal("a", null)), DATE, false, 4.0));
    }

    @Test
    void aFailedConditionBesideAConflictIsARefusal() {
        answer(cancelled(reason("TransactionConflict"), REFUSED));

        assertThat(reply(client))
                .isEqualTo(new StoreReply.GroupRefused(List.of(new StoreReply.Refusal("b", null)), DATE, false, 4.0));
    }

    static Stream<Arguments> reasons() {
        return Stream.of(
                Arguments.of(FailureKind.CONFLICT, "TransactionConflict"),
                Arguments.of(FailureKind.THROTTLED, "ProvisionedThroughputExceeded"),
                Arguments.of(FailureKind.THROTTLED, "ThrottlingError"),
                Arguments.of(FailureKind.NOT_APPLIED, "None"),
                Arguments.of(FailureKind.NOT_APPLIED, "SomethingNew"),
                Arguments.of(FailureKind.REJECTED, "ValidationError"),
                Arguments.of(FailureKind.REJECTED, "ItemCollectionSizeLimitExceeded"));
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void withoutAFailedConditionNothingWasAppliedAndNobodyHoldsIt(FailureKind kind, String code) {
        answer(cancelled(NONE, reason(code)));

        StoreReply.Failed failed = failed(client);

        assertThat(failed.kind()).isEqualTo(kind);
        assertThat(failed.date()).isEqualTo(DATE);
    }

    @Test
    void aCancellationWithoutReasonsIsNotApplied() {
        answer(RecordedReplies.transactionCanceled("null"));

        assertThat(failed(client).kind()).isEqualTo(FailureKind.NOT_APPLIED);
    }

    @Test
    void anotherCopyInProgressMayBeApplied() {
        answer(RecordedReplies.transactionInProgress());

        assertThat(failed(client).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aCancellationThatIsNotDynamoDbsIsUnknown() {
        answer(RecordedReplies.ofProxy(400)
                .withBody("{\"__type\":\"TransactionCanceledException\",\"CancellationReasons\":[" + REFUSED + "]}"));

        assertThat(failed(client).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aConflictAfterAnotherCopyIsNoSignThatNothingWasApplied() {
        answerFirst(RecordedReplies.internalServerError());
        answer(cancelled(NONE, reason("TransactionConflict")));

        StoreReply.Failed failed = failed(retryingClient);

        assertThat(failed.kind()).isEqualTo(FailureKind.UNKNOWN);
        assertThat(failed.resent()).isTrue();
    }

    @Test
    void aRefusalAfterAnotherCopyIsResent() {
        answerFirst(RecordedReplies.internalServerError());
        answer(cancelled(NONE, REFUSED));

        StoreReply reply = reply(retryingClient);

        assertThat(reply).isInstanceOf(StoreReply.GroupRefused.class);
        assertThat(reply.resent()).isTrue();
    }

    @Test
    void anItemThatIsNoLeaseIsRejected() {
        answer(cancelled(NONE, reason("ConditionalCheckFailed", "{\"lease_version\":{\"N\":\"7\"}}")));

        StoreReply.Failed failed = failed(client);

        assertThat(failed.kind()).isEqualTo(FailureKind.REJECTED);
        assertThat(failed.cause())
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageContaining("attribute 'lease_version' is of type N");
    }

    @Test
    void anAppliedTransactionTellsTheTimeAndCopiesOfARetryingClient() {
        answer(RecordedReplies.ok());

        assertThat(reply(client)).isEqualTo(new StoreReply.Applied(null, DATE, false));
        assertThat(reply(retryingClient)).isEqualTo(new StoreReply.Applied(null, DATE, true));
    }

    @Test
    void eachAttemptHasATokenOfItsOwnWhichItsCopiesShare() {
        answerFirst(RecordedReplies.internalServerError());
        answer(RecordedReplies.ok());

        reply(retryingClient);
        reply(retryingClient);

        List<String> tokens = server.findAll(RequestPatternBuilder.allRequests()).stream()
                .map(request -> token(request.getBodyAsString()))
                .toList();
        assertThat(tokens).hasSize(3);
        assertThat(tokens.get(1)).isEqualTo(tokens.get(0));
        assertThat(tokens.get(2)).isNotEqualTo(tokens.get(0));
    }

    private static String token(String body) {
        Matcher matcher = TOKEN.matcher(body);
        assertThat(matcher.find()).as(body).isTrue();
        return matcher.group(1);
    }

    // ---- helpers

    private static String reason(String code) {
        return "{\"Code\":\"" + code + "\"}";
    }

    private static String reason(String code, String item) {
        return "{\"Code\":\"" + code + "\",\"Item\":" + item + "}";
    }

    private static ResponseDefinitionBuilder cancelled(String... reasons) {
        return RecordedReplies.transactionCanceled("[" + String.join(",", reasons) + "]");
    }

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

    private static StoreReply.Failed failed(DynamoDbAsyncClient by) {
        StoreReply reply = reply(by);
        assertThat(reply).isInstanceOf(StoreReply.Failed.class);
        return (StoreReply.Failed) reply;
    }

    private static StoreReply reply(DynamoDbAsyncClient by) {
        VersionRange own = new VersionRange("v-1", "v-1");
        return DynamoDbLeaseStore.create(by, "leases")
                .send(
                        new StoreRequest.Transaction(List.of(
                                new RenewCommand("a", "v-2", 1, 2, own, Edits.NONE),
                                new RenewCommand("b", "v-2", 1, 2, own, Edits.NONE))),
                        Duration.ofSeconds(20))
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.MINUTES)
                .join();
    }
}
