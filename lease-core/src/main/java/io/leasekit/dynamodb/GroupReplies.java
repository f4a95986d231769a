package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Translates the replies to transactions.
 *
 * <p>A cancelled transaction has applied none of its writes.
 *
 * <pre>
 * refused      the condition of at least one item did not hold; the reply shows the items whose condition did not hold
 * REJECTED     no transaction can write one of the items, for example because IAM denies the write
 * CONFLICT     another transaction or write of one of the items is in progress
 * THROTTLED    DynamoDB throttled the write of an item
 * NOT_APPLIED  DynamoDB gave another reason, or no reason
 * UNKNOWN      instead of CONFLICT, THROTTLED or NOT_APPLIED, if the SDK may have sent the request more than once
 * </pre>
 */
final class GroupReplies {

    private static final Set<String> PERMANENT =
            Set.of("ValidationError", "ItemCollectionSizeLimitExceeded", "DuplicateItem", "AccessDenied");

    private GroupReplies() {}

    static StoreReply applied(TransactWriteItemsResponse reply, boolean resent) {
        Instant date = SdkReplies.date(reply.sdkHttpResponse());
        return new StoreReply.Applied(null, date, resent, SdkReplies.units(reply.consumedCapacity()));
    }

    static StoreReply ofFailure(List<String> keys, Throwable error, boolean resent) {
        return error instanceof TransactionCanceledException cancelled
                        && SdkReplies.isFromDynamoDb(SdkReplies.reply(cancelled))
                ? ofCancellation(keys, cancelled, resent)
                : Failures.failed(error, resent);
    }

    private static StoreReply ofCancellation(List<String> keys, TransactionCanceledException error, boolean resent) {
        Instant date = SdkReplies.date(error);
        try {
            List<StoreReply.Refusal> refusals = refusals(keys, error.cancellationReasons());
            return refusals.isEmpty()
                    ? new StoreReply.Failed(kind(error, resent), FailureTexts.explained(error), date, resent)
                    : new StoreReply.GroupRefused(
                            refusals, date, resent, keys.size() * SdkReplies.REFUSED_UNITS_IN_TRANSACTION);
        } catch (LeaseStoreException malformed) {
            return new StoreReply.Failed(FailureKind.REJECTED, malformed, date, resent);
        }
    }

    /** DynamoDB gives one cancellation reason for each item, in the order of the transaction. */
    private static List<StoreReply.Refusal> refusals(List<String> keys, List<CancellationReason> reasons) {
        List<StoreReply.Refusal> refusals = new ArrayList<>();
        for (int i = 0; i < Math.min(keys.size(), reasons.size()); i++) {
            if (Failures.isConditionFailed(reasons.get(i).code())) {
                String key = keys.get(i);
                refusals.add(new StoreReply.Refusal(
                        key, ItemMapping.item(key, reasons.get(i).item())));
            }
        }
        return refusals;
    }

    private static FailureKind kind(TransactionCanceledException error, boolean resent) {
        if (isAny(error, PERMANENT::contains)) {
            return FailureKind.REJECTED;
        }
        if (resent) {
            return FailureKind.UNKNOWN;
        }
        if (isAny(error, Failures::isConflict)) {
            return FailureKind.CONFLICT;
        }
        return isAny(error, FailureTexts::isThrottled) ? FailureKind.THROTTLED : FailureKind.NOT_APPLIED;
    }

    private static boolean isAny(TransactionCanceledException error, Predicate<String> code) {
        return error.cancellationReasons().stream().anyMatch(reason -> code.test(reason.code()));
    }
}
