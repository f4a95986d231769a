package io.leasekit.test;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;

/** Puts work under a lease as an annotated method; apart from {@link TestLeases}, which works without the starter. */
final class ContextOfLease {

    private final LeaseHold hold;
    private final LeaseFrame frame;

    private ContextOfLease(LeaseHold hold) {
        this.hold = hold;
        this.frame = LeaseFrame.enter(hold, true);
    }

    static ContextOfLease enter(LeaseManager manager, String key) {
        return new ContextOfLease(new LeaseHold(manager, manager.acquire(key), Lease::close));
    }

    void exit() {
        frame.exit();
        hold.leave();
    }
}
