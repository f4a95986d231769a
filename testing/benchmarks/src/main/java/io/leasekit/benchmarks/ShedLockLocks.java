package io.leasekit.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.dynamodb2.DynamoDBLockProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** ShedLock's DynamoDB provider. It cannot wait, so this class polls. */
final class ShedLockLocks implements Locks {

    private static final Duration AT_MOST = Duration.ofMinutes(1);

    private final DynamoDbClient client;
    private final LockProvider provider;
    private final long pauseMillis;

    ShedLockLocks(URI endpoint, long pauseMillis) {
        this.client = Clients.sync(endpoint);
        this.provider = new DynamoDBLockProvider(client, Tables.SHEDLOCK);
        this.pauseMillis = pauseMillis;
    }

    @Override
    public Held acquire(String key) {
        Optional<SimpleLock> lock = tryLock(key);
        while (lock.isEmpty()) {
            Work.pause(pauseMillis);
            lock = tryLock(key);
        }
        return lock.get()::unlock;
    }

    private Optional<SimpleLock> tryLock(String key) {
        return provider.lock(new LockConfiguration(Instant.now(), key, AT_MOST, Duration.ZERO));
    }

    @Override
    public boolean tryOnce(String key) {
        return tryLock(key).isPresent();
    }

    @Override
    public void close() {
        client.close();
    }
}
