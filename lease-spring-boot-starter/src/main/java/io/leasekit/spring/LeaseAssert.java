package io.leasekit.spring;

import io.leasekit.LeaseLostException;

/**
 * Assertions for code that must only run under a lease. The assertions detect calls that bypass the Spring proxy and
 * therefore run without a lease. Thread-safe.
 */
public final class LeaseAssert {

    private LeaseAssert() {}

    /**
     * Checks that the calling thread runs a method with {@link DistributedLease} or {@link LeaderOnly} whose lease is
     * held; see {@link LeaseContext#ensureValid()}.
     *
     * @throws IllegalStateException if the calling thread runs no method with {@link DistributedLease} or
     *     {@link LeaderOnly}
     * @throws LeaseLostException if the lease is lost
     * @throws io.leasekit.LeaseInterruptedException if the thread is interrupted while it waits for a renewal of the
     *     lease
     */
    public static void assertHeld() {
        LeaseContext.current().ensureValid();
    }
}
