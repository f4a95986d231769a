package io.leasekit.storm;

import io.leasekit.dynamodb.LeaseFencing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The table of guarded writes. Each write appends to the log of its key in one transaction with the checks of the lease. The
 * log is a chain: a write takes the next position, which no other write may take. So its order is that of the writes in the
 * table. Thread-safe.
 */
final class Referee {

    static final String KEY = "key";
    static final String POSITION = "position";
    static final String TOKEN = "token";
    static final String ID = "id";
    /** Between the key and the position, in the key of an entry. */
    static final String ENTRY = "#";

    private static final Duration PATIENCE = Duration.ofMillis(2_500);

    private final DynamoDbAsyncClient client;

    Referee(DynamoDbAsyncClient client) {
        this.client = client;
    }

    /** Writes once, and returns the outcome as {@link GuardedWrite} names it. */
    String write(List<ConditionCheck> checks, String key, long token, String id) throws InterruptedException {
        try {
            long position = lastPosition(key) + 1;
            List<TransactWriteItem> items = new ArrayList<>();
            checks.forEach(check ->
                    items.add(TransactWriteItem.builder().conditionCheck(check).build()));
            items.add(advance(key, position));
            items.add(entry(key, position, token, id));
            client.transactWriteItems(request ->
                            request.transactItems(items).overrideConfiguration(c -> c.apiCallTimeout(PATIENCE)))
                    .get();
            return GuardedWrite.ACCEPTED;
        } catch (ExecutionException e) {
            return e.getCause() instanceof TransactionCanceledException cancelled
                    ? outcome(cancelled, checks.size())
                    : GuardedWrite.UNKNOWN;
        }
    }

    private static String outcome(TransactionCanceledException cancelled, int checks) {
        boolean stale = cancelled.hasCancellationReasons()
                && IntStream.range(0, checks).anyMatch(check -> LeaseFencing.isStale(cancelled, check));
        return stale ? GuardedWrite.STALE : GuardedWrite.CONFLICT;
    }

    private long lastPosition(String key) throws InterruptedException, ExecutionException {
        AttributeValue position = client.getItem(request -> request.tableName(Scene.REFEREE)
                        .key(Map.of(KEY, text(key)))
                        .consistentRead(true)
                        .overrideConfiguration(c -> c.apiCallTimeout(PATIENCE)))
                .get()
                .item()
                .get(POSITION);
        return position == null ? 0 : Long.parseLong(position.n());
    }

    private static TransactWriteItem advance(String key, long position) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(Scene.REFEREE)
                        .key(Map.of(KEY, text(key)))
                        .updateExpression("SET #position = :next")
                        .conditionExpression(position == 1 ? "attribute_not_exists(#position)" : "#position = :last")
                        .expressionAttributeNames(Map.of("#position", POSITION))
                        .expressionAttributeValues(
                                position == 1
                                        ? Map.of(":next", number(position))
                                        : Map.of(":next", number(position), ":last", number(position - 1))))
                .build();
    }

    private static TransactWriteItem entry(String key, long position, long token, String id) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(Scene.REFEREE)
                        .item(Map.of(
                                KEY,
                                text(key + ENTRY + position),
                                POSITION,
                                number(position),
                                TOKEN,
                                number(token),
                                ID,
                                text(id)))
                        .conditionExpression("attribute_not_exists(#key)")
                        .expressionAttributeNames(Map.of("#key", KEY)))
                .build();
    }

    private static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(String.valueOf(value));
    }
}
