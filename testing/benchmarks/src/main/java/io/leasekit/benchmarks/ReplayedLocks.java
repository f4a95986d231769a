package io.leasekit.benchmarks;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * The two writes of Leasekit, sent again without Leasekit: what the engine and the translation of requests and replies add is the
 * difference between both. Only the token differs from cycle to cycle, and the expiry is a late one. It cannot wait, and has
 * one key of its own.
 */
final class ReplayedLocks implements Locks {

    private static final String TOKEN = ":fencing_token";
    private static final String EXPIRY = ":lease_expiry";
    private static final AttributeValue LATE = AttributeValue.fromN("2000000000"); // item TTL leaves the item

    private final Consumer<UpdateItemRequest> sender;
    private final Runnable closer;
    private final UpdateItemRequest acquire;
    private final UpdateItemRequest release;
    private final AtomicLong token;

    private ReplayedLocks(URI endpoint, Consumer<UpdateItemRequest> sender, Runnable closer) {
        this.sender = sender;
        this.closer = closer;
        List<UpdateItemRequest> writes = record(endpoint, "replayed-" + UUID.randomUUID()); // no other tokens there
        this.acquire = writes.get(0);
        this.release = writes.get(1);
        AttributeValue sent =
                Objects.requireNonNull(acquire.expressionAttributeValues().get(TOKEN), TOKEN);
        this.token = new AtomicLong(Long.parseLong(sent.n()));
    }

    static ReplayedLocks netty(URI endpoint) {
        DynamoDbAsyncClient client = Clients.leasekit(endpoint);
        return new ReplayedLocks(endpoint, request -> client.updateItem(request).join(), client::close);
    }

    static ReplayedLocks apache(URI endpoint) {
        DynamoDbClient client = Clients.sync(endpoint);
        return new ReplayedLocks(endpoint, client::updateItem, client::close);
    }

    @Override
    public Held acquire(String key) {
        Map<String, AttributeValue> values = new HashMap<>(acquire.expressionAttributeValues());
        values.put(TOKEN, AttributeValue.fromN(String.valueOf(token.incrementAndGet())));
        values.put(EXPIRY, LATE);
        sender.accept(acquire.toBuilder().expressionAttributeValues(values).build());
        return () -> sender.accept(release);
    }

    /** Returns the acquire and the release of one cycle of Leasekit. */
    private static List<UpdateItemRequest> record(URI endpoint, String key) {
        List<UpdateItemRequest> sent = new CopyOnWriteArrayList<>();
        ExecutionInterceptor recorder = new ExecutionInterceptor() {
            @Override
            public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
                if (context.request() instanceof UpdateItemRequest update) {
                    sent.add(update);
                }
            }
        };
        try (DynamoDbAsyncClient client = Clients.leasekit(endpoint, Clients.CONNECTIONS, recorder);
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Tables.LEASES))
                        .build()) {
            leases.acquire(key).close();
        }
        if (sent.size() != 2) {
            throw new IllegalStateException("Expected an acquire and a release, sent were " + sent);
        }
        return List.copyOf(sent);
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
