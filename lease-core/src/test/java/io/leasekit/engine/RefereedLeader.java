package io.leasekit.engine;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The work of a leader that appends its token to an item of the table again and again, each time with the check of its
 * lease. The item is the referee: its list shows the leaders in the order of their writes.
 */
final class RefereedLeader implements LeaderElection.Work {

    static final String TOKENS = "tokens";
    private static final long PAUSE_MILLIS = 20;

    private final DynamoDbAsyncClient client;
    private final String table;
    private final Consumer<String> output;

    /** {@code output} receives {@code begin <millis>} and {@code end <millis>} for each term. */
    RefereedLeader(DynamoDbAsyncClient client, String table, Consumer<String> output) {
        this.client = client;
        this.table = table;
        this.output = output;
    }

    /** Returns the key of the referee of an election. */
    static String referee(String key) {
        return "referee-" + key;
    }

    @Override
    public void lead(Lease lease) throws Exception {
        output.accept("begin " + System.currentTimeMillis());
        try {
            while (true) {
                write(lease);
                Thread.sleep(PAUSE_MILLIS);
            }
        } finally {
            output.accept("end " + System.currentTimeMillis());
        }
    }

    private void write(Lease lease) throws InterruptedException {
        AttributeValue token =
                AttributeValue.fromL(List.of(AttributeValue.fromN(String.valueOf(lease.fencingToken()))));
        TransactWriteItem append = TransactWriteItem.builder()
                .update(update -> update.tableName(table)
                        .key(Map.of("key", AttributeValue.fromS(referee(lease.key()))))
                        .updateExpression("SET tokens = list_append(if_not_exists(tokens, :none), :token)")
                        .expressionAttributeValues(Map.of(":token", token, ":none", AttributeValue.fromL(List.of()))))
                .build();
        TransactWriteItem check = TransactWriteItem.builder()
                .conditionCheck(lease.conditionCheck())
                .build();
        try {
            client.transactWriteItems(request -> request.transactItems(check, append))
                    .get();
        } catch (ExecutionException e) {
            System.out.println(e.getCause()); // a conflict with a renewal, or a write of a leader that is none any more
        }
    }
}
