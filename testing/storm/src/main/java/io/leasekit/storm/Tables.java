package io.leasekit.storm;

import io.leasekit.dynamodb.LeaseTable;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** The tables of a storm, and what the judge reads of them. */
final class Tables {

    private static final String VERSION = "lease_version";
    private static final String FENCING_TOKEN = "fencing_token";

    private Tables() {}

    static void create(DynamoDbAsyncClient client) {
        client.listTables().join(); // the first request of a database may take long on a busy machine
        LeaseTable.of(client, Scene.LEASES).createIfMissing();
        client.createTable(table -> table.tableName(Scene.REFEREE)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(KeySchemaElement.builder()
                                .attributeName(Referee.KEY)
                                .keyType(KeyType.HASH)
                                .build())
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName(Referee.KEY)
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                .join();
    }

    /** Writes both tables into this folder. */
    static void save(DynamoDbAsyncClient client, Path folder) throws IOException {
        save(client, Scene.LEASES, folder.resolve(Histories.LEASES), Tables::lease);
        save(client, Scene.REFEREE, folder.resolve(Histories.REFEREE), Tables::entry);
    }

    private static void save(
            DynamoDbAsyncClient client, String table, Path file, Function<Map<String, AttributeValue>, Event> row)
            throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            ScanRequest scan =
                    ScanRequest.builder().tableName(table).consistentRead(true).build();
            while (true) {
                ScanResponse page = client.scan(scan).join();
                for (Map<String, AttributeValue> item : page.items()) {
                    Event saved = row.apply(item);
                    if (saved.has(Event.KEY)) {
                        out.write(saved + "\n");
                    }
                }
                if (!page.hasLastEvaluatedKey()) {
                    return;
                }
                scan = scan.toBuilder()
                        .exclusiveStartKey(page.lastEvaluatedKey())
                        .build();
            }
        }
    }

    private static Event lease(Map<String, AttributeValue> item) {
        Event row = Event.row().with(Event.KEY, text(item, Referee.KEY));
        if (item.containsKey(FENCING_TOKEN)) {
            row.with(Event.TOKEN, number(item, FENCING_TOKEN));
        }
        return item.containsKey(VERSION) ? row.with("version", text(item, VERSION)) : row;
    }

    /** Returns an entry of the log; a row without fields for the end of a log. */
    private static Event entry(Map<String, AttributeValue> item) {
        String key = text(item, Referee.KEY);
        return !item.containsKey(Referee.ID)
                ? Event.row()
                : Event.row()
                        .with(Event.KEY, key.substring(0, key.lastIndexOf(Referee.ENTRY)))
                        .with("position", number(item, Referee.POSITION))
                        .with(Event.TOKEN, number(item, Referee.TOKEN))
                        .with(Event.ID, text(item, Referee.ID));
    }

    private static String text(Map<String, AttributeValue> item, String name) {
        return item.getOrDefault(name, AttributeValue.fromS("")).s();
    }

    private static long number(Map<String, AttributeValue> item, String name) {
        return Long.parseLong(item.getOrDefault(name, AttributeValue.fromN("0")).n());
    }
}
