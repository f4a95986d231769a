package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.records.RecordTable;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/**
 * Builds the scan requests for lists of leases, and translates their replies. Each scan request names the attributes
 * that a list shows, so replies contain no run histories and no attributes of other applications. Thread-safe.
 */
final class Scans {

    private static final List<String> SHOWN = Stream.concat(
                    Stream.of(
                            Attributes.KEY,
                            Attributes.VERSION,
                            Attributes.EXPIRY,
                            Attributes.ENDS,
                            Attributes.ENDS_TOKEN,
                            Attributes.DURATION,
                            Attributes.TOKEN,
                            Attributes.OWNER,
                            Attributes.ACQUIRED_AT,
                            Attributes.RELEASED_AT,
                            Attributes.WAITING_SINCE),
                    RecordTable.listed().stream().sorted())
            .toList();

    private Scans() {}

    static ScanRequest.Builder scan(String table, StoreRequest.Scan scan) {
        Expression e = new Expression();
        String filter = e.present(Attributes.VERSION);
        if (!scan.prefix().isEmpty()) {
            filter += " AND " + e.keyBeginsWith(scan.prefix());
        }
        String shown = SHOWN.stream().map(e::name).collect(Collectors.joining(", "));
        return ScanRequest.builder()
                .tableName(table)
                .consistentRead(true)
                .limit(scan.limit())
                .exclusiveStartKey(scan.after() == null ? null : Writes.key(scan.after()))
                .filterExpression(filter)
                .projectionExpression(shown)
                .expressionAttributeNames(e.names())
                .expressionAttributeValues(e.values().isEmpty() ? null : e.values());
    }

    static StoreReply listed(ScanResponse reply) {
        List<LeaseItem> items = new ArrayList<>();
        List<String> malformed = new ArrayList<>();
        for (Map<String, AttributeValue> attributes : reply.items()) {
            String key = ItemMapping.key(attributes);
            try {
                LeaseItem item = ItemMapping.item(key, attributes);
                if (item != null && item.version() != null) { // ItemMapping gives the pauses item no version
                    items.add(item);
                }
            } catch (LeaseStoreException e) {
                malformed.add(key);
            }
        }
        return new StoreReply.Listed(
                items,
                malformed,
                next(reply),
                SdkReplies.date(reply.sdkHttpResponse()),
                SdkReplies.units(reply.consumedCapacity()));
    }

    private static @Nullable String next(ScanResponse reply) {
        return reply.hasLastEvaluatedKey() ? ItemMapping.key(reply.lastEvaluatedKey()) : null;
    }
}
