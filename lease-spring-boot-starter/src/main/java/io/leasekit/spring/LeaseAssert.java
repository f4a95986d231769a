package io.leasekit.spring;

import io.leasekit.LeaseLostException;

/**
 * Assertions for code that must only run under a lease: they find a method that is called past its Spring bean, where
 * {@link DistributedLease} has no effect. Thread-safe.
 */
public final class LeaseAssert {

    private LeaseAssert() {}

    /**
     * Returns if the calling thread runs a method with {@link DistributedLease} whose lease is valid.
     *
     * @throws IllegalStateException if it runs none
     * @throws LeaseLostException if the lease is lost
     */
    public static void assertHeld() {
        LeaseContext.current().ensureValid();
    }
}
