package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * What a cancelled transaction says about its writes: none of them was applied.
 *
 * <pre>
 * refused      at least one item's condition did not hold: those items are shown, of the others nothing is known
 * REJECTED     an item that no transaction can write: invalid, too large, named twice
 * NOT_APPLIED  anything else: a conflict with another write, throttled, no reason given
 * </pre>
 */
final class Cancellations {

    private static final String CONDITION_FAILED = "ConditionalCheckFailed";
    private static final Set<String> FOR_EVER =
            Set.of("ValidationError", "ItemCollectionSizeLimitExceeded", "DuplicateItem", "AccessDenied");

    private Cancellations() {}

    /** {@code resent}: whether copies other than the one that was cancelled may have been sent; those may have been applied. */
    static StoreReply reply(List<String> keys, TransactionCanceledException error, boolean resent) {
        Instant date = Replies.date(error);
        try {
            List<StoreReply.Refusal> refusals = refusals(keys, error.cancellationReasons());
            return refusals.isEmpty()
                    ? new StoreReply.Failed(kind(error, resent), error, date, resent)
                    : new StoreReply.GroupRefused(refusals, date, resent);
        } catch (LeaseStoreException malformed) {
            return new StoreReply.Failed(FailureKind.REJECTED, malformed, date, resent);
        }
    }

    /** The reasons stand in the order of the transaction's items, one for each. */
    private static List<StoreReply.Refusal> refusals(List<String> keys, List<CancellationReason> reasons) {
        List<StoreReply.Refusal> refusals = new ArrayList<>();
        for (int i = 0; i < Math.min(keys.size(), reasons.size()); i++) {
            if (CONDITION_FAILED.equals(reasons.get(i).code())) {
                String key = keys.get(i);
                refusals.add(new StoreReply.Refusal(
                        key, ItemMapping.item(key, reasons.get(i).item())));
            }
        }
        return refusals;
    }

    private static FailureKind kind(TransactionCanceledException error, boolean resent) {
        boolean forEver = error.cancellationReasons().stream().anyMatch(reason -> FOR_EVER.contains(reason.code()));
        if (forEver) {
            return FailureKind.REJECTED;
        }
        return resent ? FailureKind.UNKNOWN : FailureKind.NOT_APPLIED;
    }
}
