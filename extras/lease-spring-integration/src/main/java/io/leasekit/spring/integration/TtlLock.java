package io.leasekit.spring.integration;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock for Spring Integration 7. Only this class refers to {@code DistributedLock}, which is absent in version 6.5.
 * Thread-safe.
 */
final class TtlLock extends RegistryLock implements DistributedLock {

    private TtlLock(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        super(registry, leases, request);
    }

    // The caller must not use this class as a type, because verifying the caller would load the interface.
    static LeaseRegistryLock of(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        return new TtlLock(registry, leases, request);
    }
}
