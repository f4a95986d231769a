package io.leasekit.benchmarks;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import java.net.URI;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Leases of Leasekit with heartbeats. */
final class LeasekitHolding implements Holding {

    private static final Duration WAIT = Duration.ofSeconds(20);

    private final DynamoDbAsyncClient client;
    private final LeaseManager leases;
    private final Queue<Lease> held = new ConcurrentLinkedQueue<>();

    LeasekitHolding(URI endpoint, int connections, ExecutionInterceptor watch) {
        this.client = Clients.leasekit(endpoint, connections, watch);
        this.leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, Tables.LEASES))
                .ttl(Duration.ofSeconds(TTL_SECONDS))
                .heartbeatInterval(Duration.ofSeconds(HEARTBEAT_SECONDS))
                .closeTimeout(Duration.ofMillis(1))
                .build();
    }

    @Override
    public void acquire(String key) {
        held.add(leases.acquire(LeaseRequest.of(key).waitFor(WAIT)));
    }

    @Override
    public int lost() {
        return (int) held.stream().filter(lease -> !lease.isValid()).count();
    }

    @Override
    public void close() {
        leases.close();
        client.close();
    }
}
