package io.leasekit.test;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;

/**
 * The context in which an annotated method would run, with a lease. This class is separate from {@link TestLeases},
 * because {@code TestLeases} also works without the starter.
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
