package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;

/**
 * Builds the requests of strongly consistent reads, and translates the replies to reads of several items. Thread-safe.
 */
final class ItemReads {

    private ItemReads() {}

    static GetItemRequest.Builder of(String table, String key) {
        return GetItemRequest.builder().tableName(table).key(Writes.key(key)).consistentRead(true);
    }

    static BatchGetItemRequest.Builder of(String table, List<String> keys) {
        KeysAndAttributes wanted = KeysAndAttributes.builder()
                .keys(keys.stream().map(Writes::key).toList())
                .consistentRead(true)
                .build();
        return BatchGetItemRequest.builder().requestItems(Map.of(table, wanted));
    }

    static StoreReply found(List<String> keys, BatchGetItemResponse reply) {
        List<String> malformed = new ArrayList<>();
        List<LeaseItem> items = new ArrayList<>();
        for (Map<String, AttributeValue> attributes : of(reply.responses())) {
            String key = ItemMapping.key(attributes);
            try {
                LeaseItem item = ItemMapping.item(key, attributes);
                if (item != null) {
                    items.add(item);
                }
            } catch (LeaseStoreException notALease) {
                malformed.add(key);
            }
        }
        return new StoreReply.FoundEach(
                items,
                inOrder(keys, unprocessed(reply)),
                inOrder(keys, malformed),
                SdkReplies.date(reply.sdkHttpResponse()),
                SdkReplies.units(reply.consumedCapacity()));
    }

    private static List<String> inOrder(List<String> keys, List<String> some) {
        Set<String> wanted = Set.copyOf(some);
        return keys.stream().filter(wanted::contains).toList();
    }

    private static List<String> unprocessed(BatchGetItemResponse reply) {
        KeysAndAttributes left = only(reply.unprocessedKeys());
        return left == null
                ? List.of()
                : left.keys().stream().map(ItemMapping::key).toList();
    }

    private static List<Map<String, AttributeValue>> of(Map<String, List<Map<String, AttributeValue>>> tables) {
        List<Map<String, AttributeValue>> found = only(tables);
        return found == null ? List.of() : found;
    }

    /** Returns the reply's entry for the only table of the request, whatever table name the reply contains. */
    private static <T> @Nullable T only(Map<String, T> tables) {
        return tables.size() == 1 ? tables.values().iterator().next() : null;
    }
}
