package io.leasekit.dynamodb;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.MultiRegionConsistency;
import software.amazon.awssdk.services.dynamodb.model.ReplicaDescription;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveSpecification;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/** The schema that a table of leases must have. */
final class TableSchema {

    private static final String KEY = "partition key '" + Attributes.KEY + "' of type S and no sort key";
    private static final String TTL = "item TTL on '" + Attributes.EXPIRY + "'";

    private final String table;

    TableSchema(String table) {
        this.table = table;
    }

    CreateTableRequest createTable() {
        return CreateTableRequest.builder()
                .tableName(table)
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName(Attributes.KEY)
                        .attributeType(ScalarAttributeType.S)
                        .build())
                .keySchema(KeySchemaElement.builder()
                        .attributeName(Attributes.KEY)
                        .keyType(KeyType.HASH)
                        .build())
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .build();
    }

    static TimeToLiveSpecification ttl() {
        return TimeToLiveSpecification.builder()
                .attributeName(Attributes.EXPIRY)
                .enabled(true)
                .build();
    }

    /**
     * @param place the region or the endpoint, with a preposition, for example "in us-east-1"
     */
    String absent(String place) {
        return "Table '" + table + "' does not exist " + place + ", expected one with " + KEY + " and with " + TTL
                + "; create it with LeaseTable.createIfMissing(), or with: " + createCommand();
    }

    private String createCommand() {
        return "aws dynamodb create-table --table-name " + table + " --attribute-definitions AttributeName="
                + Attributes.KEY + ",AttributeType=S --key-schema AttributeName=" + Attributes.KEY
                + ",KeyType=HASH --billing-mode PAY_PER_REQUEST && aws dynamodb wait table-exists --table-name " + table
                + " && " + ttlCommand();
    }

    private String ttlCommand() {
        return "aws dynamodb update-time-to-live --table-name " + table
                + " --time-to-live-specification Enabled=true,AttributeName=" + Attributes.EXPIRY;
    }

    Optional<String> problem(TableDescription description) {
        List<String> key = description.keySchema().stream()
                .map(element -> element.attributeName() + " "
                        + (element.keyType() == KeyType.HASH ? typeOf(element, description) : element.keyType()))
                .toList();
        if (!key.equals(List.of(Attributes.KEY + " S"))) {
            return Optional.of("Table '" + table + "' has " + keyOf(description) + ", expected " + KEY
                    + "; a table's key cannot be changed: use another table, made with: "
                    + new TableSchema("<name>").createCommand());
        }
        if (description.hasReplicas()
                && !description.replicas().isEmpty()
                && kind(description) == LeaseTableKind.REGIONAL) {
            return Optional.of("Table '" + table + "' is a global table with eventually consistent replicas ("
                    + regions(description)
                    + "), expected a table of one region or one with multi-Region strong consistency: two regions would"
                    + " grant the same lease; use another table, made with: "
                    + new TableSchema("<name>").createCommand());
        }
        return Optional.empty();
    }

    /** Returns the kind of a table in which {@link #problem(TableDescription)} found no problem. */
    static LeaseTableKind kind(TableDescription description) {
        return description.multiRegionConsistency() == MultiRegionConsistency.STRONG
                ? LeaseTableKind.STRONGLY_CONSISTENT_GLOBAL
                : LeaseTableKind.REGIONAL;
    }

    private static String keyOf(TableDescription description) {
        return description.keySchema().stream()
                .map(element -> (element.keyType() == KeyType.HASH ? "partition" : "sort") + " key '"
                        + element.attributeName() + "' of type " + typeOf(element, description))
                .collect(Collectors.joining(" and "));
    }

    private static String typeOf(KeySchemaElement element, TableDescription description) {
        return description.attributeDefinitions().stream()
                .filter(definition -> definition.attributeName().equals(element.attributeName()))
                .map(AttributeDefinition::attributeTypeAsString)
                .findFirst()
                .orElse("unknown");
    }

    private static String regions(TableDescription description) {
        return description.replicas().stream()
                .map(ReplicaDescription::regionName)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    static boolean isOff(TimeToLiveDescription ttl) {
        return ttl.timeToLiveStatus() == null || ttl.timeToLiveStatus() == TimeToLiveStatus.DISABLED;
    }

    Optional<String> problem(TimeToLiveDescription ttl) {
        boolean on = ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLED
                || ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLING;
        if (on && Attributes.EXPIRY.equals(ttl.attributeName())) {
            return Optional.empty();
        }
        if (on) {
            return Optional.of("Table '" + table + "' has item TTL on '" + ttl.attributeName() + "', expected " + TTL
                    + "; turn it off with: aws dynamodb update-time-to-live --table-name " + table
                    + " --time-to-live-specification Enabled=false,AttributeName=" + ttl.attributeName()
                    + " , and an hour later on with: " + ttlCommand());
        }
        return Optional.of("Table '" + table + "' has no item TTL (" + status(ttl) + "), expected " + TTL
                + ": released items would stay for ever; turn it on with: " + ttlCommand());
    }

    private static String status(TimeToLiveDescription ttl) {
        return ttl.timeToLiveStatus() == null ? "DISABLED" : ttl.timeToLiveStatusAsString();
    }
}
