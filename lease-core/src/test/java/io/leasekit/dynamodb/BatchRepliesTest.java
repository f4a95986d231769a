package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.records.KeptRecords;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The translation of replies to batches that DynamoDB Local cannot give. */
class BatchRepliesTest extends AnsweredByWireMock {

    private static final Instant DATE = Instant.parse("2026-11-20T12:00:07Z");
    private static final String APPLIED = "{\"TableName\":\"leases\"}";
    private static final StoreRequest.Batch BATCH = new StoreRequest.Batch(List.of(renew("a"), renew("b")));

    private static RenewCommand renew(String key) {
        return new RenewCommand(key, "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);
    }

    private static void answer(ResponseDefinitionBuilder reply) {
        server.stubFor(any(anyUrl()).willReturn(reply));
    }

    private static void answerEach(String... responses) {
        answer(RecordedReplies.reply(200, "{\"Responses\":[" + String.join(",", responses) + "]}"));
    }

    private static String error(String code) {
        return "{\"TableName\":\"leases\",\"Error\":{\"Code\":\"" + code + "\",\"Message\":\"why\"}}";
    }

    private static String refused(String item) {
        return "{\"TableName\":\"leases\",\"Error\":{\"Code\":\"ConditionalCheckFailed\",\"Message\":\"The"
                + " conditional request failed\",\"Item\":" + item + "}}";
    }

    private static List<StoreReply> replies(DynamoDbAsyncClient by) {
        return replies(by, BATCH);
    }

    private static List<StoreReply> replies(DynamoDbAsyncClient by, StoreRequest.Batch batch) {
        StoreReply reply = DynamoDbLeaseStore.create(by, "leases")
                .send(batch, Duration.ofSeconds(20))
                .toCompletableFuture()
                .join();
        return reply instanceof StoreReply.Each each
                ? each.replies()
                : Collections.nCopies(batch.commands().size(), reply);
    }

    @Test
    void eachStatementHasAReplyOfItsOwn() {
        answerEach(refused("{\"key\":{\"S\":\"a\"},\"lease_version\":{\"S\":\"v-9\"}}"), APPLIED);

        LeaseItem shown = new LeaseItem("a", "v-9", null, null, null, null, null, null);
        assertThat(replies(client))
                .containsExactly(new StoreReply.Refused(shown, DATE, false), new StoreReply.Applied(null, DATE, false));
    }

    @Test
    void aFailedConditionWithoutAnItemSaysThatThereIsNone() {
        answerEach(APPLIED, error("ConditionalCheckFailed"));

        assertThat(replies(client).get(1)).isEqualTo(new StoreReply.Refused(null, DATE, false));
    }

    static Stream<Arguments> codes() {
        return Stream.of(
                Arguments.of(FailureKind.THROTTLED, "ThrottlingError"),
                Arguments.of(FailureKind.THROTTLED, "ProvisionedThroughputExceeded"),
                Arguments.of(FailureKind.THROTTLED, "RequestLimitExceeded"),
                Arguments.of(FailureKind.CONFLICT, "TransactionConflict"),
                Arguments.of(FailureKind.REJECTED, "AccessDenied"),
                Arguments.of(FailureKind.REJECTED, "ValidationError"),
                Arguments.of(FailureKind.REJECTED, "ResourceNotFound"),
                Arguments.of(FailureKind.UNKNOWN, "InternalServerError"),
                Arguments.of(FailureKind.UNKNOWN, "SomethingNew"));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("codes")
    void aStatementsErrorTellsWhetherItWasApplied(FailureKind kind, String code) {
        answerEach(APPLIED, error(code));

        List<StoreReply> replies = replies(client);

        assertThat(replies.get(0)).isInstanceOf(StoreReply.Applied.class);
        StoreReply.Failed failed = (StoreReply.Failed) replies.get(1);
        assertThat(failed.kind()).isEqualTo(kind);
        assertThat(failed.date()).isEqualTo(DATE);
        assertThat(failed.cause()).hasMessageEndingWith(code + ": why");
    }

    @Test
    void whereCopiesMayHaveBeenSentNothingIsSurelyNotApplied() {
        answerEach(APPLIED, error("TransactionConflict"));

        List<StoreReply> replies = replies(retryingClient);

        assertThat(replies).allMatch(StoreReply::resent);
        assertThat(((StoreReply.Failed) replies.get(1)).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void anItemThatIsNoLeaseIsRejected() {
        answerEach(refused("{\"key\":{\"S\":\"a\"},\"lease_version\":{\"N\":\"9\"}}"), APPLIED);

        StoreReply.Failed failed = (StoreReply.Failed) replies(client).get(0);

        assertThat(failed.kind()).isEqualTo(FailureKind.REJECTED);
        assertThat(failed.cause()).isInstanceOf(LeaseStoreException.class).hasMessageContaining("'lease_version'");
    }

    @Test
    void theItemOfAnotherKeyTellsNothing() {
        answerEach(refused("{\"key\":{\"S\":\"b\"},\"lease_version\":{\"S\":\"v-9\"}}"), APPLIED);

        assertThat(((StoreReply.Failed) replies(client).get(0)).kind()).isEqualTo(FailureKind.UNKNOWN);
    }

    @Test
    void aReplyWithTooFewResponsesTellsNothing() {
        answerEach(APPLIED);

        assertThat(replies(client))
                .hasSize(2)
                .allMatch(reply -> ((StoreReply.Failed) reply).kind() == FailureKind.UNKNOWN && reply.date() == null);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        FailureKind.BATCH_REJECTED, "access denied", RecordedReplies.accessDenied("PartiQLUpdate")),
                Arguments.of(FailureKind.BATCH_REJECTED, "invalid request", RecordedReplies.invalidRequest()),
                Arguments.of(FailureKind.NOT_APPLIED, "expired token", RecordedReplies.expiredCredentials()),
                Arguments.of(FailureKind.BATCH_REJECTED, "no such table", RecordedReplies.noSuchTable()),
                Arguments.of(FailureKind.BATCH_REJECTED, "unknown operation", RecordedReplies.unknownOperation()),
                Arguments.of(FailureKind.BATCH_REJECTED, "not implemented", RecordedReplies.notImplemented()),
                Arguments.of(FailureKind.THROTTLED, "throttled", RecordedReplies.throttled()),
                Arguments.of(FailureKind.UNKNOWN, "internal error", RecordedReplies.internalServerError()),
                Arguments.of(FailureKind.UNKNOWN, "a proxy's success", RecordedReplies.ofProxy(200)),
                Arguments.of(FailureKind.UNKNOWN, "a proxy's 501", RecordedReplies.ofProxy(501)));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("failures")
    void whatFailsAsAWholeFailsEach(FailureKind kind, String what, ResponseDefinitionBuilder reply) {
        answer(reply);

        assertThat(replies(client)).hasSize(2).allMatch(each -> ((StoreReply.Failed) each).kind() == kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ValidationError", "ResourceNotFound", "AccessDenied", "DuplicateItem"})
    void whatRejectsAllStatementsIsAMatterOfTheBatch(String code) {
        answerEach(error(code), error(code));

        assertThat(replies(client))
                .hasSize(2)
                .allMatch(each -> ((StoreReply.Failed) each).kind() == FailureKind.BATCH_REJECTED);
    }

    @Test
    void aProxysErrorIsMarkedAsAnAnswerToABatch() {
        answer(RecordedReplies.ofProxy(403));

        assertThat(replies(client))
                .allSatisfy(each -> assertThat(((StoreReply.Failed) each).cause())
                        .isInstanceOf(LeaseStoreException.class)
                        .hasMessageStartingWith("Batch failed with status 403"));
    }

    @Test
    void aThrottledStatementNamesItsLimit() {
        answerEach(
                APPLIED,
                "{\"Error\":{\"Code\":\"ThrottlingError\",\"Message\":\"TableWriteKeyRangeThroughputExceeded\"}}");

        StoreReply.Failed failed = (StoreReply.Failed) replies(client).get(1);

        assertThat(((LeaseStoreException) failed.cause()).throttling()).isEqualTo(LeaseThrottling.KEY_RANGE);
    }

    @Test
    void whatABatchConsumedIsTold() {
        answer(RecordedReplies.reply(
                200,
                "{\"Responses\":[" + APPLIED + "," + APPLIED
                        + "],\"ConsumedCapacity\":[{\"TableName\":\"leases\",\"CapacityUnits\":2.0}]}"));

        assertThat(replies(client)).extracting(StoreReply::capacity).containsExactly(1.0, 1.0);
    }

    // ---- releases

    private static final StoreRequest.Batch RELEASES =
            new StoreRequest.Batch(List.of(release("a", null), release("b", null)));

    private static ReleaseCommand release(String key, VersionRange predecessor) {
        return new ReleaseCommand(
                key,
                new VersionRange("v-1", "v-1"),
                predecessor,
                new ReleaseCommand.Retain(1, 2),
                predecessor == null ? Edits.NONE : KeptRecords.NONE);
    }

    private static List<StoreReply> releases() {
        return replies(client, RELEASES);
    }

    @Test
    void aReleaseShowsTheMarkOfAWaiter() {
        answerEach("{\"TableName\":\"leases\",\"Item\":{\"waiting_since\":{\"N\":\"77\"}}}", APPLIED);

        assertThat(releases())
                .containsExactly(new StoreReply.Applied(77L, DATE, false), new StoreReply.Applied(null, DATE, false));
    }

    @Test
    void aReleaseThatABatchDeniesMayBeAllowedAloneAndSaysNothingOfBatches() {
        answerEach(error("AccessDenied"), refused("{\"key\":{\"S\":\"b\"},\"lease_version\":{\"S\":\"v-9\"}}"));

        assertThat(releases().get(0))
                .isInstanceOfSatisfying(
                        StoreReply.Failed.class,
                        failed -> assertThat(failed.kind()).isEqualTo(FailureKind.REJECTED));
        assertThat(releases().get(1)).isInstanceOf(StoreReply.Refused.class);
    }

    @Test
    void aReleaseHasTheWholeCondition() {
        assertThat(new Writes("leases")
                        .statement(release("key", new VersionRange("u-1", "u-2")))
                        .statement())
                .isEqualTo("UPDATE \"leases\" SET \"lease_expiry\" = ? SET \"released_at\" = ? REMOVE \"lease_version\""
                        + " REMOVE \"lease_duration\" REMOVE \"waiting_since\" WHERE \"key\" = ? AND"
                        + " ((\"lease_version\" BETWEEN ? AND ? OR \"lease_version\" BETWEEN ? AND ?) AND"
                        + " \"last_run\" IS MISSING AND \"progress\" IS MISSING) RETURNING MODIFIED OLD *");
    }

    @Test
    void aTablesNameIsQuoted() {
        assertThat(new Writes("a\"b-c.d").statement(renew("key")).statement())
                .isEqualTo("UPDATE \"a\"\"b-c.d\" SET \"lease_version\" = ? SET \"lease_expiry\" = ? SET"
                        + " \"lease_duration\" = ? WHERE \"key\" = ? AND (\"lease_version\" BETWEEN ? AND ?)");
    }
}
