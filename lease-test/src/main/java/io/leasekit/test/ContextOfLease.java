package io.leasekit.test;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;

/**
 * The context of a lease on the current thread, as in an annotated method. This class is separate from
 * {@link TestLeases}, which must also load without the starter.
 */
final class ContextOfLease {

    private final SharedLease shared;
    private final LeaseFrame frame;

    private ContextOfLease(SharedLease shared) {
        this.shared = shared;
        this.frame = LeaseFrame.enter(shared, true);
    }

    static ContextOfLease enter(LeaseManager manager, String key) {
        return new ContextOfLease(new SharedLease(manager, manager.acquire(key), Lease::close));
    }

    void exit() {
        frame.exit();
        shared.leave();
    }
}
