package io.leasekit.benchmarks;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import java.net.URI;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Leases of Leasekit with heartbeats. */
final class LeasekitHolding implements Holding {

    private static final int AT_ONCE = 64;

    private final DynamoDbAsyncClient client;
    private final LeaseManager leases;
    private final Queue<Lease> held = new ConcurrentLinkedQueue<>();
    private int asked;

    LeasekitHolding(URI endpoint, RenewalWatch watch) {
        this.client = Clients.leasekit(endpoint, watch);
        this.leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Tables.LEASES))
                .ttl(Duration.ofSeconds(TTL_SECONDS))
                .heartbeatInterval(Duration.ofSeconds(HEARTBEAT_SECONDS))
                .closeTimeout(Duration.ofMillis(1))
                .build();
    }

    @Override
    public void hold(int count) throws InterruptedException {
        Semaphore free = new Semaphore(AT_ONCE);
        for (int i = 0; i < count; i++) {
            free.acquire();
            leases.acquireAsync(LeaseRequest.of(RenewalWatch.PREFIX + asked++).waitFor(Duration.ofSeconds(20)))
                    .whenComplete((lease, failure) -> {
                        if (failure == null) {
                            lease.ifPresent(held::add);
                        }
                        free.release();
                    });
        }
        free.acquire(AT_ONCE);
    }

    @Override
    public int lost() {
        return asked - (int) held.stream().filter(Lease::isValid).count();
    }

    @Override
    public void close() {
        leases.close();
        client.close();
    }
}
