package io.leasekit.benchmarks;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import com.amazonaws.services.dynamodbv2.model.LockCurrentlyUnavailableException;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The AWS DynamoDB lock client with its defaults: leases of 20 s, heartbeats every 5 s. */
final class AwsLocks implements Locks {

    static final long DEFAULT_REFRESH_MILLIS = 1_000;
    private static final long LONG_MILLIS = 600_000;

    private final DynamoDbClient client;
    private final AmazonDynamoDBLockClient locks;
    private final long refreshMillis;

    AwsLocks(URI endpoint, long refreshMillis) {
        this.client = Clients.sync(endpoint);
        this.locks = new AmazonDynamoDBLockClient(AmazonDynamoDBLockClientOptions.builder(client, Tables.AWS_LOCKS)
                .withCreateHeartbeatBackgroundThread(true)
                .build());
        this.refreshMillis = refreshMillis;
    }

    @Override
    public Held acquire(String key) throws InterruptedException {
        LockItem item = locks.acquireLock(AcquireLockOptions.builder(key)
                .withTimeUnit(TimeUnit.MILLISECONDS)
                .withRefreshPeriod(refreshMillis)
                .withAdditionalTimeToWaitForLock(LONG_MILLIS)
                .build());
        return item::close;
    }

    @Override
    public boolean tryOnce(String key) throws InterruptedException {
        try {
            return locks.tryAcquireLock(AcquireLockOptions.builder(key)
                            .withShouldSkipBlockingWait(true)
                            .build())
                    .isPresent();
        } catch (LockCurrentlyUnavailableException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        locks.close();
        client.close();
    }
}
