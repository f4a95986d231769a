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
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The work of a leader that writes to an item of the table again and again, each time with the check of its lease. The
 * item is the referee: its list gets the token of each write whose predecessor had another token. So a token that comes
 * back, or a smaller one after a larger one, shows two leaders at once.
 */
final class RefereedLeader implements LeaderElection.Work {

    static final String TOKENS = "tokens";
    private static final String REFUSED = "ConditionalCheckFailed";
    private static final long PAUSE_MILLIS = 20;

    private final DynamoDbAsyncClient client;
    private final String table;
    private final Consumer<String> output;

    /**
     * {@code output} receives {@code begins}, {@code writes} after the first write, and {@code ends}, or {@code lost}
     * if the lease is not valid at the end; also {@code refused} for each write that the check of the lease refuses.
     * Each is followed by the token and the time in nanoseconds.
     */
    RefereedLeader(DynamoDbAsyncClient client, String table, Consumer<String> output) {
        this.client = client;
        this.table = table;
        this.output = output;
    }

    /** Returns the key of the referee of an election. */
    static String referee(String key) {
        return "referee-" + key;
    }

    /** Processes of one machine have one monotonic clock, which clock jumps leave alone. */
    private void tell(String kind, Lease lease, long time) {
        output.accept(kind + " " + lease.fencingToken() + " " + time);
    }

    @Override
    public void lead(Lease lease) throws Exception {
        tell("begins", lease, System.nanoTime());
        try {
            // made once: otherwise the lease itself would refuse, and no write of a former leader would reach the table
            TransactWriteItem check = TransactWriteItem.builder()
                    .conditionCheck(lease.conditionCheck())
                    .build();
            while (!write(lease, check)) {
                Thread.sleep(PAUSE_MILLIS);
            }
            tell("writes", lease, System.nanoTime());
            while (true) {
                Thread.sleep(PAUSE_MILLIS);
                write(lease, check);
            }
        } finally {
            long time = System.nanoTime();
            tell(lease.isValid() ? "ends" : "lost", lease, time);
        }
    }

    /** Returns whether the write was applied. */
    private boolean write(Lease lease, TransactWriteItem check) throws InterruptedException, ExecutionException {
        AttributeValue token = AttributeValue.fromN(String.valueOf(lease.fencingToken()));
        return transact(
                        lease,
                        check,
                        "ADD writes :one",
                        "last_token = :token",
                        Map.of(":token", token, ":one", AttributeValue.fromN("1")))
                || transact(
                        lease,
                        check,
                        "SET last_token = :token, tokens = list_append(if_not_exists(tokens, :none), :tokens)",
                        "attribute_not_exists(last_token) OR last_token <> :token",
                        Map.of(
                                ":token",
                                token,
                                ":none",
                                AttributeValue.fromL(List.of()),
                                ":tokens",
                                AttributeValue.fromL(List.of(token))));
    }

    private boolean transact(
            Lease lease, TransactWriteItem check, String update, String condition, Map<String, AttributeValue> values)
            throws InterruptedException, ExecutionException {
        TransactWriteItem write = TransactWriteItem.builder()
                .update(item -> item.tableName(table)
                        .key(Map.of("key", AttributeValue.fromS(referee(lease.key()))))
                        .updateExpression(update)
                        .conditionExpression(condition)
                        .expressionAttributeValues(values))
                .build();
        try {
            client.transactWriteItems(request -> request.transactItems(check, write))
                    .get();
            return true;
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TransactionCanceledException cancelled)) {
                throw e; // perhaps made from the interrupt, which is lost then
            }
            if (REFUSED.equals(cancelled.cancellationReasons().get(0).code())) {
                tell("refused", lease, System.nanoTime());
            }
            return false;
        }
    }
}
