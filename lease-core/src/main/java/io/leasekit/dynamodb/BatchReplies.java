package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementError;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementResponse;

/**
 * Translates the replies to batches of statements.
 *
 * <pre>
 * refused      the condition did not hold; the reply shows the item if it exists and the server returns it
 * THROTTLED    DynamoDB throttled the statement
 * CONFLICT     the statement was in conflict with a transaction
 * REJECTED     DynamoDB rejects this statement, but not all statements; sent alone, the write may succeed
 * BATCH_REJECTED  DynamoDB rejects the whole request or all statements, for example because batches are denied
 * UNKNOWN      a server error, an unrecognized error, or a reply that shows the item of another key
 * </pre>
 */
final class BatchReplies {

    private static final Set<String> PERMANENT = Set.of(
            "AccessDenied",
            "AccessDeniedException",
            "UnknownOperationException",
            "ResourceNotFound",
            "ValidationError",
            "ItemCollectionSizeLimitExceeded",
            "DuplicateItem");

    private BatchReplies() {}

    static StoreReply of(List<String> keys, BatchExecuteStatementResponse reply, boolean resent) {
        List<BatchStatementResponse> responses = reply.responses();
        if (responses.size() != keys.size()) {
            throw new LeaseStoreException(
                    "Reply has " + responses.size() + " responses, expected one for each of " + keys.size()
                            + " statements",
                    null);
        }
        Instant date = SdkReplies.date(reply.sdkHttpResponse());
        Double share = share(SdkReplies.units(reply.consumedCapacity()), responses);
        List<StoreReply> replies = IntStream.range(0, responses.size())
                .mapToObj(i -> of(keys.get(i), responses.get(i), date, resent, share))
                .toList();
        return new StoreReply.Each(
                responses.stream().allMatch(BatchReplies::isRejected)
                        ? replies.stream().map(BatchReplies::ofBatch).toList()
                        : replies);
    }

    private static boolean isRejected(BatchStatementResponse response) {
        return response.error() != null
                && PERMANENT.contains(String.valueOf(response.error().codeAsString()));
    }

    private static StoreReply ofBatch(StoreReply reply) {
        StoreReply.Failed failed = (StoreReply.Failed) reply;
        return new StoreReply.Failed(FailureKind.BATCH_REJECTED, failed.cause(), failed.date(), failed.resent());
    }

    /**
     * AWS does not document whether {@code units} includes refused statements, so each applied or refused statement
     * counts as at least one unit.
     */
    private static @Nullable Double share(@Nullable Double units, List<BatchStatementResponse> responses) {
        long charged = responses.stream()
                .map(BatchStatementResponse::error)
                .filter(error -> error == null || Failures.isConditionFailed(String.valueOf(error.codeAsString())))
                .count();
        return units == null || charged == 0
                ? null
                : Double.valueOf(Math.max(units, charged * SdkReplies.REFUSED_UNITS) / charged);
    }

    private static StoreReply of(
            String key,
            BatchStatementResponse response,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double share) {
        BatchStatementError error = response.error();
        if (error == null) {
            return new StoreReply.Applied(ItemMapping.waitingSince(response.item()), date, resent, share);
        }
        String code = String.valueOf(error.codeAsString());
        if (Failures.isConditionFailed(code)) {
            return refused(key, error.item(), date, resent, share);
        }
        LeaseStoreException cause = FailureTexts.ofStatement(code, error.message());
        return new StoreReply.Failed(kind(code, resent), cause, date, resent);
    }

    private static StoreReply refused(
            String key,
            Map<String, AttributeValue> attributes,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double share) {
        AttributeValue shown = attributes.get(Attributes.KEY);
        if (shown != null && !key.equals(shown.s())) {
            LeaseStoreException mixedUp = new LeaseStoreException("Response shows the item of another key", null);
            return new StoreReply.Failed(FailureKind.UNKNOWN, mixedUp, date, resent);
        }
        return ItemReplies.refused(key, attributes, date, resent, share);
    }

    private static FailureKind kind(String code, boolean resent) {
        if (FailureTexts.isThrottled(code)) {
            return resent ? FailureKind.UNKNOWN : FailureKind.THROTTLED;
        }
        if (Failures.isConflict(code)) {
            return resent ? FailureKind.UNKNOWN : FailureKind.CONFLICT;
        }
        return PERMANENT.contains(code) ? FailureKind.REJECTED : FailureKind.UNKNOWN;
    }

    static StoreReply ofFailure(Throwable error, boolean resent) {
        StoreReply.Failed failed = Failures.failed(error, resent);
        return failed.kind() == FailureKind.REJECTED || isUnknownToServer(error)
                ? new StoreReply.Failed(FailureKind.BATCH_REJECTED, failed.cause(), failed.date(), resent)
                : answered(failed, error);
    }

    /** A server without PartiQL sends status 501, possibly without an error code. */
    private static boolean isUnknownToServer(Throwable error) {
        return error instanceof AwsServiceException reply
                && SdkReplies.isFromDynamoDb(SdkReplies.reply(reply))
                && reply.statusCode() == HttpURLConnection.HTTP_NOT_IMPLEMENTED;
    }

    /**
     * A server without support for batches may reply with any error. The engine recognizes such a reply by its
     * {@link LeaseStoreException}.
     */
    private static StoreReply answered(StoreReply.Failed failed, Throwable error) {
        return failed.kind() == FailureKind.UNKNOWN
                        && error instanceof AwsServiceException reply
                        && !(failed.cause() instanceof LeaseStoreException)
                ? new StoreReply.Failed(
                        FailureKind.UNKNOWN,
                        new LeaseStoreException(
                                "Batch failed with status " + reply.statusCode() + ": " + FailureTexts.code(reply),
                                failed.cause()),
                        failed.date(),
                        failed.resent())
                : failed;
    }
}
