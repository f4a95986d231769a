package io.leasekit.benchmarks;

import java.io.IOException;

/** Many locks that one process holds with heartbeats: a ttl of 20 s, renewed every 5 s. */
interface Holding extends AutoCloseable {

    long TTL_SECONDS = 20;
    long HEARTBEAT_SECONDS = 5;

    /** Acquires this many locks, with keys that {@link RenewalWatch} recognizes. */
    void hold(int count) throws Exception;

    /** Returns the number of locks that are no longer held. */
    int lost();

    @Override
    void close() throws IOException;
}
