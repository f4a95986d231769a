package io.leasekit.benchmarks;

import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** Baseline: one conditional write for an acquire, one for a release, and nothing else. It cannot wait. */
final class RawLocks implements Locks {

    private static final AttributeValue END = AttributeValue.fromN("2000000000");

    private final Consumer<UpdateItemRequest> sender;
    private final Runnable closer;

    private RawLocks(Consumer<UpdateItemRequest> sender, Runnable closer) {
        this.sender = sender;
        this.closer = closer;
    }

    static RawLocks netty(URI endpoint) {
        DynamoDbAsyncClient client = Clients.leasekit(endpoint);
        return new RawLocks(request -> client.updateItem(request).join(), client::close);
    }

    static RawLocks apache(URI endpoint) {
        DynamoDbClient client = Clients.sync(endpoint);
        return new RawLocks(client::updateItem, client::close);
    }

    @Override
    public Held acquire(String key) {
        AttributeValue version = AttributeValue.fromS(UUID.randomUUID().toString());
        sender.accept(acquire(key, version));
        return () -> sender.accept(release(key, version));
    }

    private static UpdateItemRequest acquire(String key, AttributeValue version) {
        return write(key)
                .updateExpression("SET #v = :v, #e = :e")
                .conditionExpression("attribute_not_exists(#v)")
                .expressionAttributeNames(Map.of("#v", "version", "#e", "expiry"))
                .expressionAttributeValues(Map.of(":v", version, ":e", END))
                .build();
    }

    private static UpdateItemRequest release(String key, AttributeValue version) {
        return write(key)
                .updateExpression("REMOVE #v SET #e = :e")
                .conditionExpression("#v = :v")
                .expressionAttributeNames(Map.of("#v", "version", "#e", "expiry"))
                .expressionAttributeValues(Map.of(":v", version, ":e", END))
                .build();
    }

    private static UpdateItemRequest.Builder write(String key) {
        return UpdateItemRequest.builder().tableName(Tables.RAW).key(Map.of("key", AttributeValue.fromS(key)));
    }

    @Override
    public boolean tryOnce(String key) {
        throw new UnsupportedOperationException("The baseline is never refused");
    }

    @Override
    public void close() {
        closer.run();
    }
}
