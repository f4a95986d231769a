package io.leasekit.benchmarks;

import java.io.IOException;

/** Many locks that one process holds and keeps alive: 20 s long, renewed every 5 s. */
interface Holding extends AutoCloseable {

    long TTL_SECONDS = 20;
    long HEARTBEAT_SECONDS = 5;

    /** Acquires this many, with keys that {@link RenewalWatch} knows. */
    void hold(int count) throws Exception;

    /** How many of them are not held any more. */
    int lost();

    @Override
    void close() throws IOException;
}
