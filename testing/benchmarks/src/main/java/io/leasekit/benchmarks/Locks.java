package io.leasekit.benchmarks;

import java.io.IOException;

/** One of the measured, open on one endpoint. Thread-safe. */
interface Locks extends AutoCloseable {

    /** Waits for the lock of this key, as long as it takes, and returns what gives it back. */
    Held acquire(String key) throws Exception;

    /** Asks once, without waiting; returns whether it got the lock, which is then not given back. */
    boolean tryOnce(String key) throws Exception;

    @Override
    void close() throws IOException;

    /** A lock that is held. */
    interface Held {

        /** Gives it back; returns when the caller may go on. */
        void release() throws Exception;
    }
}
