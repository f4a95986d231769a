package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/**
 * Removes expired items from a table without item TTL: a global table with multi-Region strong consistency.
 *
 * <p>It deletes an item only if the item has no version, so no owner and no hold has the lease, and if its expiry is
 * before the earliest possible time of DynamoDB, so the retention is over on every clock. Both are conditions of the
 * {@code DeleteItem}. So a sweep has the effect of item TTL, and never removes a lease that is acquired in the
 * meantime. Items of holders that died are left alone; the next acquire of their key takes them over.
 *
 * <p>A sweep reads the whole table, page by page, and needs the permissions {@code dynamodb:Scan} and {@code
 * dynamodb:DeleteItem}. Several sweeps at the same time do no harm, but each one costs its requests. Thread-safe.
 */
public final class LeaseSweep {

    /** The dates of DynamoDB's servers agree within this time (step 4.2), and each is cut to the second. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    private static final int PAGE = 500;

    private final DynamoDbAsyncClient client;
    private final String table;
    private final TableCalls calls;

    private LeaseSweep(DynamoDbAsyncClient client, String table) {
        this.client = client;
        this.table = table;
        this.calls = new TableCalls(table);
    }

    /**
     * Returns a sweep of the table with this name. Sends nothing.
     *
     * @throws IllegalArgumentException if the name is blank or an ARN
     */
    public static LeaseSweep of(DynamoDbAsyncClient client, String table) {
        TableSchema.checkName(table);
        return new LeaseSweep(client, table);
    }

    /**
     * Removes the expired items whose keys begin with the prefix. Blocks; an interrupt ends the sweep.
     *
     * @param leases a manager on the same table, for DynamoDB's time
     * @param prefix the prefix of the keys; empty: all keys
     * @return the number of removed items
     * @throws LeaseTableException if a request is rejected, for example because a permission is missing
     * @throws LeaseStoreException if a request fails otherwise; the items removed so far stay removed
     * @throws LeaseInterruptedException if the thread is interrupted
     * @throws io.leasekit.LeaseException if the manager is closed
     */
    public int run(LeaseManager leases, String prefix) {
        int removed = 0;
        @Nullable Page page = page(leases, prefix, null);
        while (page != null) {
            ScanResponse found = page.found();
            // before the key is deleted after which the next page begins
            Page next = found.hasLastEvaluatedKey() ? page(leases, prefix, found.lastEvaluatedKey()) : null;
            for (Map<String, AttributeValue> item : found.items()) {
                removed += remove(item, page.freeBelow());
            }
            page = next;
        }
        return removed;
    }

    /** Items that seem to be free, and the time in epoch seconds below which an expiry has surely passed. */
    private record Page(ScanResponse found, long freeBelow) {}

    private Page page(LeaseManager leases, String prefix, @Nullable Map<String, AttributeValue> after) {
        Instant earliest = earliest(leases);
        ScanResponse found = calls.await(client.scan(scan(prefix, after, earliest)), "Scan");
        Instant date = Replies.date(found.sdkHttpResponse());
        if (date == null) {
            throw Replies.notFromDynamoDb();
        }
        // two replies agree, so no single wrong clock ends a retention
        return new Page(found, earlier(earliest, date.minus(MARGIN)).getEpochSecond());
    }

    /** Returns the earliest possible time of DynamoDB by the manager's bounded clock. */
    private static Instant earliest(LeaseManager leases) {
        Instant middle = leases.time();
        Duration uncertainty = leases.status().clockUncertainty();
        if (uncertainty == null) {
            throw new LeaseStoreException("DynamoDB's time is not known, expected replies with a 'Date'", null);
        }
        return middle.minus(uncertainty).minus(MARGIN);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private ScanRequest scan(String prefix, @Nullable Map<String, AttributeValue> after, Instant earliest) {
        Expression e = new Expression();
        String filter = isFree(e, earliest.getEpochSecond());
        if (!prefix.isEmpty()) {
            filter += " AND " + e.keyBeginsWith(prefix);
        }
        return ScanRequest.builder()
                .tableName(table)
                .limit(PAGE)
                .exclusiveStartKey(after)
                .filterExpression(filter)
                .projectionExpression(e.name(Attributes.KEY) + ", " + e.name(Attributes.EXPIRY))
                .expressionAttributeNames(e.names())
                .expressionAttributeValues(e.values())
                .overrideConfiguration(TableCalls.bounded())
                .build();
    }

    private static String isFree(Expression e, long seconds) {
        return e.absent(Attributes.VERSION) + " AND " + e.name(Attributes.EXPIRY) + " < "
                + e.value("free_below", Attributes.number(seconds));
    }

    private int remove(Map<String, AttributeValue> item, long freeBelow) {
        AttributeValue key = item.get(Attributes.KEY);
        if (key == null || key.s() == null) {
            return 0;
        }
        Expression e = new Expression();
        DeleteItemRequest request = DeleteItemRequest.builder()
                .tableName(table)
                .key(Writes.key(key.s()))
                .conditionExpression(isFree(e, freeBelow))
                .expressionAttributeNames(e.names())
                .expressionAttributeValues(e.values())
                .overrideConfiguration(TableCalls.bounded())
                .build();
        try {
            calls.await(client.deleteItem(request), "DeleteItem");
            return 1;
        } catch (LeaseTableException error) {
            if (error.getCause() instanceof ConditionalCheckFailedException) {
                return 0; // acquired meanwhile, or not expired for sure
            }
            throw error;
        }
    }
}
