package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/**
 * A process that imports a file under a lease and continues where a killed process stopped. Each line has its own item
 * with a count, written in one transaction with the number of lines done. Arguments: endpoint, owner, file and the
 * table of the lines. It prints {@link #BEGINS} when it starts, and {@link #DONE} with the number of lines after each
 * transaction.
 */
public final class ImportNode {

    static final String KEY = "import";
    static final String BEGINS = "begins";
    static final String DONE = "done";

    /** Short, so that a killed process is replaced soon. */
    static final Duration TTL = Duration.ofSeconds(3);

    private static final int LINES_AT_ONCE = 50;

    private final DynamoDbAsyncClient client;
    private final String table;

    private ImportNode(DynamoDbAsyncClient client, String table) {
        this.client = client;
        this.table = table;
    }

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(args[2]));
        try (DynamoDbAsyncClient client =
                        LocalDynamoDb.clientBuilder(URI.create(args[0])).build();
                LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Scene.LEASES))
                        .owner(args[1])
                        .ttl(TTL)
                        .storeTimeout(Duration.ofMinutes(1))
                        .build()) {
            LeaseRequest request = LeaseRequest.of(KEY).resumable().waitFor(Duration.ofMinutes(2));
            try (Lease lease = leases.acquire(request)) {
                new ImportNode(client, args[3]).run(lines, lease.progress(ProgressCodec.text()));
                lease.recordRun(LeaseRunOutcome.SUCCEEDED);
            }
        }
        System.exit(0);
    }

    private void run(List<String> lines, Progress<String> progress) {
        int done = progress.last().map(Integer::parseInt).orElse(0);
        System.out.println(BEGINS + " " + done);
        while (done < lines.size()) {
            int next = Math.min(done + LINES_AT_ONCE, lines.size());
            List<TransactWriteItem> writes = new ArrayList<>();
            lines.subList(done, next).forEach(line -> writes.add(count(line)));
            writes.add(progress.update(Integer.toString(next)));
            client.transactWriteItems(TransactWriteItemsRequest.builder()
                            .transactItems(writes)
                            .build())
                    .join();
            done = next;
            System.out.println(DONE + " " + done);
        }
    }

    /** A line that is applied twice is counted twice. */
    private TransactWriteItem count(String line) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(table)
                        .key(Map.of("key", AttributeValue.fromS(line)))
                        .updateExpression("ADD #times :one")
                        .expressionAttributeNames(Map.of("#times", "times"))
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                .build();
    }
}
