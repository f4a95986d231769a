package io.leasekit.benchmarks;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Locks of the AWS lock client. Its single heartbeat thread renews them; the times are its defaults. */
final class AwsHolding implements Holding {

    private static final int AT_ONCE = 40;

    private final DynamoDbClient client;
    private final AmazonDynamoDBLockClient locks;
    private final List<LockItem> held = new ArrayList<>();
    private int asked;

    AwsHolding(URI endpoint, RenewalWatch watch) {
        this.client = Clients.sync(endpoint, watch);
        this.locks = new AmazonDynamoDBLockClient(AmazonDynamoDBLockClientOptions.builder(client, Tables.AWS_LOCKS)
                .withTimeUnit(TimeUnit.SECONDS)
                .withLeaseDuration(TTL_SECONDS)
                .withHeartbeatPeriod(HEARTBEAT_SECONDS)
                .withCreateHeartbeatBackgroundThread(true)
                .build());
    }

    @Override
    public void hold(int count) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<LockItem>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String key = RenewalWatch.PREFIX + asked++;
            futures.add(threads.submit(
                    () -> locks.acquireLock(AcquireLockOptions.builder(key).build())));
        }
        for (Future<LockItem> future : futures) {
            held.add(future.get());
        }
        threads.shutdown();
    }

    @Override
    public int lost() {
        return asked - (int) held.stream().filter(item -> !item.isExpired()).count();
    }

    /** Omits the close method of the lock client, which would release the locks one by one. */
    @Override
    public void close() {
        client.close();
    }
}
