package io.leasekit.dynamodb;

import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveResponse;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveRequest;

/** Reads and enables the item TTL of a table. Thread-safe. */
final class TableTtl {

    private final DynamoDbAsyncClient client;
    private final String table;
    private final TableCalls calls;

    TableTtl(DynamoDbAsyncClient client, String table, TableCalls calls) {
        this.client = client;
        this.table = table;
        this.calls = calls;
    }

    TimeToLiveDescription describe() {
        return await(send());
    }

    CompletableFuture<TimeToLiveDescription> send() {
        DescribeTimeToLiveRequest request = DescribeTimeToLiveRequest.builder()
                .tableName(table)
                .overrideConfiguration(TableCalls.bounded())
                .build();
        return client.describeTimeToLive(request).thenApply(TableTtl::description);
    }

    TimeToLiveDescription await(CompletableFuture<TimeToLiveDescription> reply) {
        return calls.await(reply, "DescribeTimeToLive");
    }

    private static TimeToLiveDescription description(DescribeTimeToLiveResponse reply) {
        if (reply.timeToLiveDescription() == null) {
            throw SdkReplies.notFromDynamoDb();
        }
        return reply.timeToLiveDescription();
    }

    /**
     * If item TTL uses an attribute other than {@code lease_expiry}, changes nothing; {@link LeaseTable#verify()}
     * reports this problem.
     */
    void enable() {
        if (!TableSchema.isOff(describe())) {
            return;
        }
        UpdateTimeToLiveRequest request = UpdateTimeToLiveRequest.builder()
                .tableName(table)
                .timeToLiveSpecification(TableSchema.ttl())
                .overrideConfiguration(TableCalls.bounded())
                .build();
        try {
            calls.await(client.updateTimeToLive(request), "UpdateTimeToLive");
        } catch (LeaseTableException e) {
            // If item TTL is no longer off, another process has enabled item TTL.
            if (TableSchema.isOff(describe())) {
                throw e;
            }
        }
    }
}
