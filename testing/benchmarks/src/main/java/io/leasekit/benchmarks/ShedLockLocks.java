package io.leasekit.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.dynamodb2.DynamoDBLockProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** ShedLock's DynamoDB provider. It cannot wait, so this class polls; it has no permits, so they are several locks. */
final class ShedLockLocks implements Locks {

    private static final Duration AT_MOST = Duration.ofMinutes(1);

    private final DynamoDbClient client;
    private final LockProvider provider;
    private final long pauseMillis;
    private final int permits;

    /** Closes the client with itself. */
    ShedLockLocks(DynamoDbClient client, long pauseMillis, int permits) {
        this.client = client;
        this.provider = new DynamoDBLockProvider(client, Tables.SHEDLOCK);
        this.pauseMillis = pauseMillis;
        this.permits = permits;
    }

    @Override
    public Held acquire(String key) {
        Optional<SimpleLock> lock = tryAny(key);
        while (lock.isEmpty()) {
            Work.pause(pauseMillis);
            lock = tryAny(key);
        }
        return lock.get()::unlock;
    }

    /** Tries all locks of the key, beginning with a random one. */
    private Optional<SimpleLock> tryAny(String key) {
        int first = permits == 1 ? 0 : ThreadLocalRandom.current().nextInt(permits);
        return IntStream.range(0, permits)
                .mapToObj(i -> tryLock(permits == 1 ? key : key + "-" + (first + i) % permits))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<SimpleLock> tryLock(String key) {
        return provider.lock(new LockConfiguration(Instant.now(), key, AT_MOST, Duration.ZERO));
    }

    @Override
    public boolean tryOnce(String key) {
        return tryAny(key).isPresent();
    }

    @Override
    public void close() {
        client.close();
    }
}
