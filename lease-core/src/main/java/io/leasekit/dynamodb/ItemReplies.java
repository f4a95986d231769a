package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** Translates the replies to requests for one item. */
final class ItemReplies {

    private ItemReplies() {}

    /** The reply to an acquire contains all attributes as they were before the write. */
    static StoreReply applied(UpdateItemResponse reply, boolean isAcquire, boolean resent) {
        Map<String, AttributeValue> before = reply.attributes();
        return new StoreReply.Applied(
                ItemMapping.waitingSince(before),
                isAcquire ? ItemMapping.records(ItemMapping.key(before), before, null) : Records.NONE,
                isAcquire ? ItemMapping.heldBefore(before) : null,
                SdkReplies.date(reply.sdkHttpResponse()),
                resent,
                SdkReplies.units(reply.consumedCapacity()));
    }

    static StoreReply applied(DeleteItemResponse reply, boolean resent) {
        Instant date = SdkReplies.date(reply.sdkHttpResponse());
        return new StoreReply.Applied(null, date, resent, SdkReplies.units(reply.consumedCapacity()));
    }

    static StoreReply found(String key, GetItemResponse reply) {
        Instant date = SdkReplies.date(reply.sdkHttpResponse());
        Double units = SdkReplies.units(reply.consumedCapacity());
        return withItem(key, reply.item(), date, false, item -> new StoreReply.Found(item, date, units));
    }

    static StoreReply ofFailure(String key, Throwable error, boolean resent) {
        return error instanceof ConditionalCheckFailedException refusal
                        && SdkReplies.isFromDynamoDb(SdkReplies.reply(refusal))
                ? refused(key, refusal.item(), SdkReplies.date(refusal), resent, SdkReplies.REFUSED_UNITS)
                : Failures.failed(error, resent);
    }

    static StoreReply refused(
            String key,
            Map<String, AttributeValue> attributes,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double units) {
        return withItem(key, attributes, date, resent, item -> new StoreReply.Refused(item, date, resent, units));
    }

    private static StoreReply withItem(
            String key,
            Map<String, AttributeValue> attributes,
            @Nullable Instant date,
            boolean resent,
            Function<@Nullable LeaseItem, StoreReply> reply) {
        try {
            return reply.apply(ItemMapping.item(key, attributes));
        } catch (LeaseStoreException malformed) {
            return new StoreReply.Failed(FailureKind.REJECTED, malformed, date, resent);
        }
    }
}
