package io.leasekit.spring.integration;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock for Spring Integration 7. Nothing else names the interface, which 6.5 does not have. Thread-safe. */
final class TtlLock extends RegistryLock implements DistributedLock {

    private TtlLock(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        super(registry, leases, request);
    }

    // the caller must not mention this class as a type: verifying it would load the interface
    static LeaseRegistryLock of(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        return new TtlLock(registry, leases, request);
    }
}
