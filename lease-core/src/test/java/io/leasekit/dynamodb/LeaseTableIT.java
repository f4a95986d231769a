package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveSpecification;

class LeaseTableIT {

    private static final String CREATE_ANOTHER = "; a table's key cannot be changed: use another table, made with: aws"
            + " dynamodb create-table --table-name <name> --attribute-definitions AttributeName=key,AttributeType=S"
            + " --key-schema AttributeName=key,KeyType=HASH --billing-mode PAY_PER_REQUEST && aws dynamodb wait"
            + " table-exists --table-name <name> && aws dynamodb update-time-to-live --table-name <name>"
            + " --time-to-live-specification Enabled=true,AttributeName=lease_expiry";

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final String name = "table-" + UUID.randomUUID();
    private final LeaseTable table = LeaseTable.of(client, name);

    @Test
    void aCreatedTableIsRightAndKeepsLeases() {
        table.createIfMissing();

        assertThatCode(table::verify).doesNotThrowAnyException();
        TableDescription made =
                client.describeTable(r -> r.tableName(name)).join().table();
        assertThat(made.billingModeSummary().billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
        TimeToLiveDescription ttl =
                client.describeTimeToLive(r -> r.tableName(name)).join().timeToLiveDescription();
        assertThat(ttl.attributeName()).isEqualTo("lease_expiry");
        try (LeaseManager leases =
                LeaseManager.builder(DynamoDbLeaseStore.create(client, name)).build()) {
            assertThat(leases.tryAcquire("key")).isPresent().hasValueSatisfying(lease -> lease.close());
        }
    }

    @Test
    void creatingAnExistingTableChangesNothing() {
        table.createIfMissing();
        client.putItem(r -> r.tableName(name).item(Writes.key("kept"))).join();

        table.createIfMissing();

        assertThat(client.scan(r -> r.tableName(name)).join().items()).containsExactly(Writes.key("kept"));
    }

    @Test
    void severalMayCreateItAtOnce() {
        int creators = 4;
        CyclicBarrier together = new CyclicBarrier(creators);

        List<CompletableFuture<Void>> all = Stream.generate(() -> CompletableFuture.runAsync(
                        () -> {
                            assertThatCode(together::await).doesNotThrowAnyException();
                            table.createIfMissing();
                            table.verify();
                        },
                        task -> new Thread(task).start()))
                .limit(creators)
                .toList();

        assertThat(all).allSatisfy(one -> assertThatCode(one::join).doesNotThrowAnyException());
    }

    @Test
    void anAbsentTableIsAnErrorWithTheCommandThatMakesIt() {
        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage("Table '" + name
                        + "' does not exist at " + LocalDynamoDb.endpoint()
                        + ", expected one with partition key 'key' of type S and no"
                        + " sort key and with item TTL on 'lease_expiry'; create it with LeaseTable.createIfMissing(), or"
                        + " with: aws dynamodb create-table --table-name " + name + " --attribute-definitions"
                        + " AttributeName=key,AttributeType=S --key-schema AttributeName=key,KeyType=HASH --billing-mode"
                        + " PAY_PER_REQUEST && aws dynamodb wait table-exists --table-name " + name + " && aws dynamodb"
                        + " update-time-to-live --table-name " + name + " --time-to-live-specification"
                        + " Enabled=true,AttributeName=lease_expiry");
    }

    @Test
    void aKeyOfAnotherNameIsAnError() {
        create(attribute("id", ScalarAttributeType.S));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage(
                        "Table '" + name + "' has partition key 'id' of type S, expected partition key 'key' of type S"
                                + " and no sort key" + CREATE_ANOTHER);
    }

    @Test
    void aKeyOfAnotherTypeIsAnError() {
        create(attribute("key", ScalarAttributeType.N));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage(
                        "Table '" + name + "' has partition key 'key' of type N, expected partition key 'key' of type S"
                                + " and no sort key" + CREATE_ANOTHER);
    }

    @Test
    void aSortKeyIsAnError() {
        create(attribute("key", ScalarAttributeType.S), attribute("sort", ScalarAttributeType.B));

        assertThatThrownBy(table::createIfMissing)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage(
                        "Table '" + name + "' has partition key 'key' of type S and sort key 'sort' of type B, expected"
                                + " partition key 'key' of type S and no sort key" + CREATE_ANOTHER);
    }

    @Test
    void missingItemTtlIsAnErrorWithItsCureAndIsMended() {
        create(attribute("key", ScalarAttributeType.S));

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage(
                        "Table '" + name + "' has no item TTL (DISABLED), expected item TTL on 'lease_expiry': released"
                                + " items would stay for ever; turn it on with: aws dynamodb update-time-to-live --table-name "
                                + name + " --time-to-live-specification Enabled=true,AttributeName=lease_expiry");

        table.createIfMissing();
        assertThatCode(table::verify).doesNotThrowAnyException();
    }

    @Test
    void itemTtlOnAnotherAttributeIsAnErrorAndLeftAsItIs() {
        create(attribute("key", ScalarAttributeType.S));
        client.updateTimeToLive(r -> r.tableName(name)
                        .timeToLiveSpecification(TimeToLiveSpecification.builder()
                                .enabled(true)
                                .attributeName("expires")
                                .build()))
                .join();

        table.createIfMissing();

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessage("Table '" + name
                        + "' has item TTL on 'expires', expected item TTL on 'lease_expiry'; turn it off"
                        + " with: aws dynamodb update-time-to-live --table-name " + name
                        + " --time-to-live-specification Enabled=false,AttributeName=expires , and an hour later on with:"
                        + " aws dynamodb update-time-to-live --table-name " + name
                        + " --time-to-live-specification Enabled=true,AttributeName=lease_expiry");
    }

    private void create(AttributeDefinition... key) {
        List<KeySchemaElement> schema = Stream.of(key)
                .map(attribute -> KeySchemaElement.builder()
                        .attributeName(attribute.attributeName())
                        .keyType(attribute.equals(key[0]) ? KeyType.HASH : KeyType.RANGE)
                        .build())
                .toList();
        client.createTable(CreateTableRequest.builder()
                        .tableName(name)
                        .attributeDefinitions(key)
                        .keySchema(schema)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .build())
                .join();
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(type)
                .build();
    }
}
