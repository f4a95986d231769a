package io.leasekit.benchmarks;

import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Baseline: one asynchronous write for each renewal, and nothing else. */
final class RawHolding implements Holding {

    private final DynamoDbAsyncClient client;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ConcurrentMap<String, Long> confirmed = new ConcurrentHashMap<>();

    RawHolding(URI endpoint, int connections, ExecutionInterceptor watch) {
        this.client = Clients.leasekit(endpoint, connections, watch);
    }

    /** Sends nothing: the first renewal writes the item. */
    @Override
    public void acquire(String key) {
        long period = TimeUnit.SECONDS.toMillis(HEARTBEAT_SECONDS);
        confirmed.put(key, System.nanoTime());
        timer.scheduleAtFixedRate(
                () -> renew(key), ThreadLocalRandom.current().nextLong(period), period, TimeUnit.MILLISECONDS);
    }

    private void renew(String key) {
        long sent = System.nanoTime();
        client.updateItem(r -> r.tableName(Tables.RAW)
                        .key(Map.of("key", AttributeValue.fromS(key)))
                        .updateExpression("SET #v = :v, #e = :e")
                        .conditionExpression("attribute_not_exists(#x)")
                        .expressionAttributeNames(Map.of("#v", "version", "#e", "expiry", "#x", "absent"))
                        .expressionAttributeValues(Map.of(
                                ":v", AttributeValue.fromS(UUID.randomUUID().toString()),
                                ":e", AttributeValue.fromN("2000000000"))))
                .thenRun(() -> confirmed.put(key, sent));
    }

    @Override
    public int lost() {
        long now = System.nanoTime();
        long ttl = TimeUnit.SECONDS.toNanos(TTL_SECONDS);
        return (int)
                confirmed.values().stream().filter(then -> now - then > ttl).count();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        client.close();
    }
}
