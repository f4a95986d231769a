package io.leasekit.dynamodb.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Features of DynamoDB Local that tests of other modules rely on. */
class LocalDynamoDbIT {

    private static final String TABLE = "local-dynamodb-it";

    private static DynamoDbAsyncClient client;

    @BeforeAll
    static void createTable() {
        client = LocalDynamoDb.clientBuilder().build();
        client.createTable(table -> table.tableName(TABLE)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(KeySchemaElement.builder()
                                .attributeName("key")
                                .keyType(KeyType.HASH)
                                .build())
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName("key")
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                .join();
        client.updateTimeToLive(ttl -> ttl.tableName(TABLE)
                        .timeToLiveSpecification(spec -> spec.enabled(true).attributeName("expiry")))
                .join();
    }

    @AfterAll
    static void closeClient() {
        client.close();
    }

    @Test
    void isOnePerJvm() {
        assertThat(LocalDynamoDb.endpoint()).isEqualTo(LocalDynamoDb.endpoint());
    }

    @Test
    void repliesCarryDateAndRequestId() {
        PutItemResponse reply = put("dated", Instant.now().plusSeconds(600));
        assertDatedReply(reply.sdkHttpResponse());
    }

    @Test
    void refusalCarriesDateAndRequestIdAndTheItem() {
        put("refused", Instant.now().plusSeconds(600));
        ConditionalCheckFailedException refusal = client.updateItem(update -> update.tableName(TABLE)
                        .key(Map.of("key", AttributeValue.fromS("refused")))
                        .updateExpression("REMOVE expiry")
                        .conditionExpression("attribute_not_exists(expiry)")
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
                .handle((reply, failure) -> (ConditionalCheckFailedException) cause(failure))
                .join();
        assertThat(refusal.item()).containsKeys("key", "expiry");
        assertDatedReply(refusal.awsErrorDetails().sdkHttpResponse());
    }

    @Test
    void itemTtlRemovesExpiredItems() {
        put("expired", Instant.now().minusSeconds(60));
        await().atMost(Duration.ofMinutes(10)).until(() -> !exists("expired"));
    }

    private static void assertDatedReply(SdkHttpResponse reply) {
        assertThat(reply.firstMatchingHeader("Date")).isPresent();
        assertThat(reply.firstMatchingHeader("x-amzn-RequestId")).isPresent();
    }

    private static PutItemResponse put(String key, Instant expiry) {
        Map<String, AttributeValue> item =
                Map.of("key", AttributeValue.fromS(key), "expiry", AttributeValue.fromN("" + expiry.getEpochSecond()));
        return client.putItem(put -> put.tableName(TABLE).item(item)).join();
    }

    private static boolean exists(String key) {
        return client.getItem(
                        get -> get.tableName(TABLE).consistentRead(true).key(Map.of("key", AttributeValue.fromS(key))))
                .join()
                .hasItem();
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }
}
