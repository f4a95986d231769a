package io.leasekit.benchmarks;

import java.io.IOException;

/** A measured library, connected to one endpoint. Thread-safe. */
interface Locks extends AutoCloseable {

    /** Acquires the lock of this key, waiting as long as necessary. */
    Held acquire(String key) throws Exception;

    /** Tries once to acquire the lock, without waiting. An acquired lock is not released. */
    boolean tryOnce(String key) throws Exception;

    @Override
    void close() throws IOException;

    /** A held lock. */
    interface Held {

        /** Releases the lock; returns when the caller may continue. */
        void release() throws Exception;
    }
}
