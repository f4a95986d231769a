package io.leasekit.benchmarks;

import io.leasekit.dynamodb.LeaseTable;
import java.net.URI;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** One table for each library, with the partition key that it requires. */
final class Tables {

    static final String LEASES = "leases";
    static final String AWS_LOCKS = "aws-locks";
    static final String SHEDLOCK = "shedlock";
    static final String SPRING = "spring-locks";
    static final String RAW = "raw";

    private Tables() {}

    static void create(URI endpoint) {
        try (DynamoDbAsyncClient client = Clients.leasekit(endpoint)) {
            LeaseTable.of(client, LEASES).createIfMissing();
            create(client, AWS_LOCKS, "key");
            create(client, SHEDLOCK, "_id");
            create(client, SPRING, "lockKey");
            create(client, RAW, "key");
        }
    }

    private static void create(DynamoDbAsyncClient client, String name, String key) {
        client.createTable(r -> r.tableName(name)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(List.of(AttributeDefinition.builder()
                                .attributeName(key)
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                        .keySchema(List.of(KeySchemaElement.builder()
                                .attributeName(key)
                                .keyType(KeyType.HASH)
                                .build())))
                .join();
    }
}
