package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementError;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementResponse;

/**
 * What the reply to a batch of statements says about each; all of them are one reply and tell one date.
 *
 * <pre>
 * refused      the condition did not hold: the item is shown, none if there is none
 * NOT_APPLIED  throttled, in conflict with a transaction
 * REJECTED     denied, no such table, invalid, or the server does not know such requests
 * UNKNOWN      a server error, anything not recognised, a reply that shows the item of another key
 * </pre>
 */
final class BatchReplies {

    private static final String CONDITION_FAILED = "ConditionalCheckFailed";
    private static final Set<String> LATER =
            Set.of("ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded", "TransactionConflict");
    private static final Set<String> FOR_EVER = Set.of(
            "AccessDenied", "ResourceNotFound", "ValidationError", "ItemCollectionSizeLimitExceeded", "DuplicateItem");

    private BatchReplies() {}

    /**
     * The responses stand in the order of the statements, one for each.
     *
     * @param resent whether copies other than the one that was answered may have been sent; those may have been applied
     * @throws LeaseStoreException if there are more responses than statements, or fewer
     */
    static List<StoreReply> of(RenewBatch batch, BatchExecuteStatementResponse reply, boolean resent) {
        List<BatchStatementResponse> responses = reply.responses();
        if (responses.size() != batch.size()) {
            throw new LeaseStoreException(
                    "Reply has " + responses.size() + " responses, expected one for each of " + batch.size()
                            + " statements",
                    null);
        }
        Instant date = Replies.date(reply.sdkHttpResponse());
        Double units = Replies.units(reply.consumedCapacity());
        Double share = units == null ? null : units / batch.size();
        List<StoreReply> replies = new ArrayList<>();
        for (int i = 0; i < responses.size(); i++) {
            replies.add(of(batch.commands().get(i), responses.get(i).error(), date, resent, share));
        }
        return replies;
    }

    private static StoreReply of(
            RenewCommand command,
            @Nullable BatchStatementError error,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double share) {
        if (error == null) {
            return new StoreReply.Applied(null, false, date, resent, share);
        }
        if (CONDITION_FAILED.equals(error.codeAsString())) {
            return refused(command.key(), error.item(), date, resent);
        }
        LeaseStoreException cause =
                new LeaseStoreException("Statement failed: " + error.codeAsString() + ": " + error.message(), null);
        return new StoreReply.Failed(kind(String.valueOf(error.codeAsString()), resent), cause, date, resent);
    }

    private static StoreReply refused(
            String key, Map<String, AttributeValue> attributes, @Nullable Instant date, boolean resent) {
        AttributeValue shown = attributes.get(Attributes.KEY);
        if (shown != null && !key.equals(shown.s())) {
            LeaseStoreException mixedUp = new LeaseStoreException("Response shows the item of another key", null);
            return new StoreReply.Failed(FailureKind.UNKNOWN, mixedUp, date, resent);
        }
        try {
            LeaseItem item = ItemMapping.item(key, attributes);
            return new StoreReply.Refused(item, date, resent);
        } catch (LeaseStoreException malformed) {
            return new StoreReply.Failed(FailureKind.REJECTED, malformed, date, resent);
        }
    }

    private static FailureKind kind(String code, boolean resent) {
        if (LATER.contains(code)) {
            return resent ? FailureKind.UNKNOWN : FailureKind.NOT_APPLIED;
        }
        return FOR_EVER.contains(code) ? FailureKind.REJECTED : FailureKind.UNKNOWN;
    }

    /** The request failed as a whole: for each statement alike. */
    static List<StoreReply> ofFailure(RenewBatch batch, Throwable error, boolean resent) {
        FailureKind kind = isNotImplemented(error) ? FailureKind.REJECTED : Failures.kind(error, resent);
        return Collections.nCopies(batch.size(), new StoreReply.Failed(kind, error, Replies.date(error), resent));
    }

    /** A server that has no PartiQL at all, and says so in a way of its own. */
    private static boolean isNotImplemented(Throwable error) {
        return error instanceof AwsServiceException reply
                && Replies.isFromDynamoDb(Replies.reply(reply))
                && reply.statusCode() == HttpURLConnection.HTTP_NOT_IMPLEMENTED;
    }
}
