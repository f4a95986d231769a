package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/** The table of leases in the DynamoDB Local of this JVM, and a separate client that bypasses the store. */
final class LocalTable {

    static final String NAME = "leases";

    private static final DynamoDbAsyncClient CLIENT = newClient();

    private LocalTable() {}

    private static DynamoDbAsyncClient newClient() {
        DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build();
        try {
            LeaseTable.of(client, NAME).createIfMissing();
        } catch (LeaseException withoutTtl) {
            if (!LocalDynamoDb.isOther()) {
                throw withoutTtl;
            }
            createWithoutTtl(client);
        }
        return client;
    }

    /** Returns whether a refused write shows the item, as DynamoDB and DynamoDB Local do. */
    static boolean showsItemsOfRefusals() {
        String key = "refusal-" + UUID.randomUUID();
        CLIENT.putItem(put -> put.tableName(NAME).item(Map.of("key", AttributeValue.fromS(key))))
                .join();
        return CLIENT.putItem(put -> put.tableName(NAME)
                        .item(Map.of("key", AttributeValue.fromS(key)))
                        .conditionExpression("attribute_not_exists(#key)")
                        .expressionAttributeNames(Map.of("#key", "key"))
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
                .handle((reply, failure) -> ((ConditionalCheckFailedException) failure.getCause()).hasItem())
                .join();
    }

    private static void createWithoutTtl(DynamoDbAsyncClient client) {
        if (!client.listTables().join().tableNames().contains(NAME)) {
            client.createTable(new TableSchema(NAME).createTable()).join();
            client.waiter()
                    .waitUntilTableExists(request -> request.tableName(NAME))
                    .join();
        }
    }

    /** A client without retries, which stays open until the JVM ends. */
    static DynamoDbAsyncClient client() {
        return CLIENT;
    }

    /** The configuration of the starter's client: one copy of each request. */
    static Consumer<ClientOverrideConfiguration.Builder> withoutRetries(ExecutionInterceptor wire) {
        return c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()).addExecutionInterceptor(wire);
    }

    /**
     * Returns a builder of managers on this table. Their acquires are retried while a busy machine does not answer in time.
     * Their close does not wait for leases that a test leaves behind.
     */
    static LeaseManagerBuilder leases(DynamoDbAsyncClient client) {
        return LeaseManager.builder(DynamoDbLeaseStore.create(client, NAME))
                .storeTimeout(Duration.ofMinutes(1))
                .closeTimeout(Duration.ofMillis(1));
    }

    /** Returns what this reads, again if a busy machine does not answer in time: managers send a read once. */
    static <T> T read(Callable<T> reading) {
        return Awaitility.await()
                .ignoreExceptionsInstanceOf(LeaseStoreException.class)
                .atMost(Duration.ofMinutes(10))
                .until(reading, Objects::nonNull);
    }

    static void put(LeaseItem item) {
        Map<String, AttributeValue> attributes = new HashMap<>(Writes.key(item.key()));
        text(attributes, Attributes.VERSION, item.version());
        number(attributes, Attributes.EXPIRY, item.removableFrom());
        if (item.records().keptUntil() != null && item.expiry() != null) {
            number(attributes, Attributes.ENDS, item.expiry() * 1_000);
            number(attributes, Attributes.ENDS_TOKEN, item.token());
        }
        number(attributes, Attributes.DURATION, item.durationMillis());
        number(attributes, Attributes.TOKEN, item.token());
        text(attributes, Attributes.OWNER, item.owner());
        number(attributes, Attributes.ACQUIRED_AT, item.acquiredAtMillis());
        number(attributes, Attributes.RELEASED_AT, item.releasedAtMillis());
        number(attributes, Attributes.WAITING_SINCE, item.waitingSinceMillis());
        item.records().values().forEach((name, value) -> attributes.put(name, Attributes.value(value)));
        put(attributes);
    }

    static void put(Map<String, AttributeValue> attributes) {
        CLIENT.putItem(PutItemRequest.builder().tableName(NAME).item(attributes).build())
                .join();
    }

    static void remove(String key) {
        CLIENT.deleteItem(request -> request.tableName(NAME).key(Writes.key(key)))
                .join();
    }

    /** Returns all attributes of the item; empty if there is no item. */
    static Map<String, AttributeValue> attributes(String key) {
        return CLIENT.getItem(GetItemRequest.builder()
                        .tableName(NAME)
                        .key(Writes.key(key))
                        .consistentRead(true)
                        .build())
                .join()
                .item();
    }

    private static void text(Map<String, AttributeValue> attributes, String name, @Nullable String value) {
        if (value != null) {
            attributes.put(name, Attributes.text(value));
        }
    }

    private static void number(Map<String, AttributeValue> attributes, String name, @Nullable Long value) {
        if (value != null) {
            attributes.put(name, Attributes.number(value));
        }
    }
}
