package io.leasekit.sample;

import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.RunStoppedException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Imports each line of a file once; if a node dies or is asked to stop, another node imports the remaining lines. Each
 * transaction writes some lines of the file, together with the number of lines imported so far.
 */
@Component
class ImportJob {

    private static final Logger log = LoggerFactory.getLogger(ImportJob.class);
    private static final int TOGETHER = 50; // DynamoDB allows at most 100 items in a transaction

    private final DynamoDbAsyncClient dynamoDb;
    private final String table;
    private final String file;
    private final Duration pause;

    ImportJob(
            @Qualifier(LeaseDynamoDbAutoConfiguration.CLIENT) DynamoDbAsyncClient dynamoDb,
            @Value("${sample.import.table}") String table,
            @Value("${sample.import.file}") String file,
            @Value("${sample.import.pause}") Duration pause) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.file = file;
        this.pause = pause;
    }

    @Scheduled(cron = "${sample.import.cron}")
    @DistributedLease(key = "import", ttl = "${sample.import.ttl}", resumable = true, onFailure = OnFailure.RETRY)
    void run() throws IOException, InterruptedException {
        Progress<String> progress = LeaseContext.current().progress(ProgressCodec.text());
        // An earlier attempt of this run may have saved its progress.
        int done = progress.last().map(Integer::parseInt).orElse(0);
        List<String> lines = lines();
        log.info("Import of {} lines goes on after line {}", lines.size(), done);
        createTable();
        while (done < lines.size()) {
            if (LeaseContext.current().stopRequested()) {
                throw new RunStoppedException("Import stops after line " + done);
            }
            int next = Math.min(done + TOGETHER, lines.size());
            List<TransactWriteItem> all = new ArrayList<>(
                    lines.subList(done, next).stream().map(this::write).toList());
            all.add(progress.update(Integer.toString(next)));
            dynamoDb.transactWriteItems(request -> request.transactItems(all)).join();
            done = next;
            Thread.sleep(pause.toMillis());
        }
        log.info("Import of {} lines has ended", lines.size());
    }

    private List<String> lines() throws IOException {
        return file.isEmpty()
                ? IntStream.rangeClosed(1, 10_000)
                        .mapToObj(line -> "line-" + line)
                        .toList()
                : Files.readAllLines(Path.of(file));
    }

    private TransactWriteItem write(String line) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(table)
                        .key(Map.of("line", AttributeValue.fromS(line)))
                        .updateExpression("ADD imports :one")
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                .build();
    }

    private void createTable() {
        KeySchemaElement key = KeySchemaElement.builder()
                .attributeName("line")
                .keyType(KeyType.HASH)
                .build();
        AttributeDefinition line = AttributeDefinition.builder()
                .attributeName("line")
                .attributeType(ScalarAttributeType.S)
                .build();
        try {
            dynamoDb.createTable(request -> request.tableName(table)
                            .billingMode(BillingMode.PAY_PER_REQUEST)
                            .keySchema(key)
                            .attributeDefinitions(line))
                    .join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof ResourceInUseException)) { // the table already exists
                throw e;
            }
        }
        dynamoDb.waiter()
                .waitUntilTableExists(request -> request.tableName(table))
                .join();
    }
}
