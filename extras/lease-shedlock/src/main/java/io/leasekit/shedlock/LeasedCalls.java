package io.leasekit.shedlock;

import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;

/** The {@code @DistributedLease} calls of the current thread. Without the starter, there are none. */
final class LeasedCalls {

    private static final boolean POSSIBLE = isStarterPresent();

    private LeasedCalls() {}

    private static boolean isStarterPresent() {
        try {
            Class.forName("io.leasekit.spring.context.LeaseFrame", false, LeasedCalls.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Returns whether one of them holds the lease of this key. */
    static boolean hold(LeaseManager manager, String key) {
        return POSSIBLE && LeaseFrame.isHeldHere(manager, key);
    }
}
