package io.leasekit.docs;

import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.CreateDynamoDBTableOptions;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughput;

/** A node with a lock client and a lease manager, each with its own table in DynamoDB Local. */
final class AwsLockClientNode implements AutoCloseable {

    /** How long locks and leases last without heartbeats where a test waits for their end. */
    static final Duration DURATION = Duration.ofSeconds(3);

    /** The same where no test does, so a busy machine keeps them. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static final AtomicInteger TABLES = new AtomicInteger();

    private final DynamoDbClient sync = syncClient();
    private final DynamoDbAsyncClient async = LocalDynamoDb.clientBuilder().build();
    final AmazonDynamoDBLockClient locks;
    final LeaseManager leases;
    final FromAwsLockClientExamples examples;

    /** Creates the two tables for the nodes of one test. */
    static void createTables() {
        TABLES.incrementAndGet();
        ProvisionedThroughput throughput = ProvisionedThroughput.builder()
                .readCapacityUnits(100L)
                .writeCapacityUnits(100L)
                .build();
        try (DynamoDbClient client = syncClient();
                DynamoDbAsyncClient async = LocalDynamoDb.clientBuilder().build()) {
            AmazonDynamoDBLockClient.createLockTableInDynamoDB(
                    CreateDynamoDBTableOptions.builder(client, throughput, "locks-" + TABLES)
                            .build());
            LeaseTable.of(async, "leases-" + TABLES).createIfMissing();
        }
    }

    /** Creates a node that renews its locks and leases. */
    static AwsLockClientNode alive(Runnable work) {
        return new AwsLockClientNode(DURATION, true, work);
    }

    /** Creates a node that renews its locks and leases, also if it is stalled for seconds. */
    static AwsLockClientNode robust(Runnable work) {
        return new AwsLockClientNode(LONG, true, work);
    }

    /** Creates a node whose locks are not renewed, as after a crash. */
    static AwsLockClientNode withoutHeartbeats(Runnable work) {
        return new AwsLockClientNode(DURATION, false, work);
    }

    private AwsLockClientNode(Duration duration, boolean heartbeats, Runnable work) {
        locks = new AmazonDynamoDBLockClient(AmazonDynamoDBLockClientOptions.builder(sync, "locks-" + TABLES)
                .withTimeUnit(TimeUnit.MILLISECONDS)
                .withLeaseDuration(duration.toMillis())
                .withHeartbeatPeriod(500L)
                .withCreateHeartbeatBackgroundThread(heartbeats)
                .build());
        leases = LeaseManager.builder(DynamoDbLeaseStore.create(async, "leases-" + TABLES))
                .ttl(duration)
                .storeTimeout(Duration.ofMinutes(1)) // a busy machine may answer the first requests too late
                .closeTimeout(Duration.ofMillis(1))
                .build();
        examples = new FromAwsLockClientExamples(locks, leases, work);
    }

    static DynamoDbClient syncClient() {
        return DynamoDbClient.builder()
                .endpointOverride(LocalDynamoDb.endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                .build();
    }

    @Override
    public void close() throws IOException {
        locks.close();
        leases.close();
        sync.close();
        async.close();
    }
}
