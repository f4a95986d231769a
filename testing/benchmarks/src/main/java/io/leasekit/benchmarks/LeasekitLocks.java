package io.leasekit.benchmarks;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The core of Leasekit with its defaults. */
final class LeasekitLocks implements Locks {

    private static final Duration LONG = Duration.ofMinutes(10);

    private final DynamoDbAsyncClient client;
    private final LeaseManager leases;
    private final boolean inBackground;
    private final int permits;

    LeasekitLocks(URI endpoint, boolean inBackground, int permits) {
        this.client = Clients.leasekit(endpoint);
        this.leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Tables.LEASES))
                .build();
        this.inBackground = inBackground;
        this.permits = permits;
    }

    @Override
    public Held acquire(String key) {
        LeaseRequest request = LeaseRequest.of(key).waitFor(LONG);
        Lease lease = leases.acquire(permits == 1 ? request : request.permits(permits));
        return inBackground ? lease::releaseAsync : lease::close;
    }

    @Override
    public boolean tryOnce(String key) {
        return leases.tryAcquire(key).isPresent();
    }

    @Override
    public void close() {
        leases.close();
        client.close();
    }
}
