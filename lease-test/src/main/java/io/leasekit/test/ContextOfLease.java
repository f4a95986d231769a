package io.leasekit.test;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;
import java.util.concurrent.Callable;

/** Puts work under a lease as an annotated method; apart from {@link TestLeases}, which works without the starter. */
final class ContextOfLease {

    private ContextOfLease() {}

    static <T> T call(LeaseManager manager, String key, Callable<T> work) throws Exception {
        LeaseHold hold = new LeaseHold(manager, manager.acquire(LeaseRequest.of(key)), Lease::close);
        LeaseFrame frame = LeaseFrame.enter(hold, true);
        try {
            return work.call();
        } finally {
            frame.exit();
            hold.leave();
        }
    }
}
