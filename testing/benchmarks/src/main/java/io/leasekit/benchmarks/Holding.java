package io.leasekit.benchmarks;

import java.io.IOException;
import java.net.URI;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/** Many locks that one process holds with heartbeats: a ttl of 20 s, renewed every 5 s. Thread-safe. */
interface Holding extends AutoCloseable {

    long TTL_SECONDS = 20;
    long HEARTBEAT_SECONDS = 5;

    /** Acquires the lock of this key and holds it until the end. Throws an exception if it could not be acquired. */
    void acquire(String key) throws Exception;

    /**
     * Returns the number of acquired locks that are no longer held. Some contenders notice a loss only here, so the
     * caller asks often.
     */
    int lost();

    @Override
    void close() throws IOException;

    /** Connects a contender that has heartbeats. */
    static Holding open(Contender who, URI endpoint, int connections, ExecutionInterceptor watch) {
        return switch (who) {
            case RAW_NETTY -> new RawHolding(endpoint, connections, watch);
            case LOOP_SINGLE -> LoopHolding.single(endpoint, connections, watch);
            case LOOP_BATCHED -> LoopHolding.batched(endpoint, connections, watch);
            case LEASEKIT -> new LeasekitHolding(endpoint, connections, watch);
            case AWS -> new AwsHolding(endpoint, watch);
            default -> throw new IllegalArgumentException(who + " has no heartbeats");
        };
    }
}
