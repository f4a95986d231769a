package io.leasekit.benchmarks;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import java.net.URI;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Locks of the AWS lock client. Its single heartbeat thread renews them; the times are its defaults. So is its HTTP
 * client, which has 50 connections.
 */
final class AwsHolding implements Holding {

    private final DynamoDbClient client;
    private final AmazonDynamoDBLockClient locks;
    private final Queue<LockItem> held = new ConcurrentLinkedQueue<>();
    /** Remembered, because a renewal whose reply comes late makes an expired item look held again. */
    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    AwsHolding(URI endpoint, ExecutionInterceptor watch) {
        this.client = Clients.sync(endpoint, watch);
        this.locks = new AmazonDynamoDBLockClient(AmazonDynamoDBLockClientOptions.builder(client, Tables.AWS_LOCKS)
                .withTimeUnit(TimeUnit.SECONDS)
                .withLeaseDuration(TTL_SECONDS)
                .withHeartbeatPeriod(HEARTBEAT_SECONDS)
                .withCreateHeartbeatBackgroundThread(true)
                .build());
    }

    @Override
    public void acquire(String key) throws InterruptedException {
        held.add(locks.acquireLock(AcquireLockOptions.builder(key).build()));
    }

    @Override
    public int lost() {
        held.stream().filter(LockItem::isExpired).map(LockItem::getPartitionKey).forEach(lost::add);
        return lost.size();
    }

    /** Omits the close method of the lock client, which would release the locks one by one. */
    @Override
    public void close() {
        client.close();
    }
}
