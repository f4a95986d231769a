package io.leasekit.benchmarks;

import io.awspring.cloud.dynamodb.DynamoDbLockRegistry;
import io.awspring.cloud.dynamodb.DynamoDbLockRepository;
import java.net.URI;
import java.time.Duration;
import org.springframework.integration.support.locks.DistributedLock;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The lock registry of Spring Integration, in Spring Cloud AWS. */
final class SpringLocks implements Locks {

    static final long DEFAULT_IDLE_MILLIS = 100;

    private final DynamoDbAsyncClient client;
    private final DynamoDbLockRepository repository;
    private final DynamoDbLockRegistry registry;

    SpringLocks(URI endpoint, long idleMillis) {
        this.client = Clients.async(endpoint);
        this.repository = new DynamoDbLockRepository(client, Tables.SPRING);
        this.repository.afterPropertiesSet();
        this.registry = new DynamoDbLockRegistry(repository);
        this.registry.setIdleBetweenTries(Duration.ofMillis(idleMillis));
    }

    @Override
    public Held acquire(String key) {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public boolean tryOnce(String key) {
        return registry.obtain(key).tryLock();
    }

    @Override
    public void close() {
        repository.close();
        client.close();
    }
}
