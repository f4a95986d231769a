package io.leasekit.spring.integration;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock for Spring Integration 7. Only this class refers to the interface {@code DistributedLock}, which is absent in
 * Spring Integration 6.5. Thread-safe.
 */
final class TtlLock extends RegistryLock implements DistributedLock {

    private TtlLock(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        super(registry, leases, request);
    }

    // Returns LeaseRegistryLock, because a caller that used the type TtlLock would load DistributedLock, which may be
    // absent.
    static LeaseRegistryLock of(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        return new TtlLock(registry, leases, request);
    }
}
