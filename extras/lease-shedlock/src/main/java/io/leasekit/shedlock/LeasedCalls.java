package io.leasekit.shedlock;

import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.schedule.Firing;

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

    /** Logs this line in place of a stack trace if a firing of Spring's scheduler on this thread fails by this. */
    static void logInstead(Throwable failure, Runnable line) {
        if (POSSIBLE) {
            Firings.logInstead(failure, line);
        }
    }

    /** Loaded only with the starter. */
    private static final class Firings {

        static void logInstead(Throwable failure, Runnable line) {
            Firing firing = Firing.current();
            if (firing != null) {
                firing.logInstead(failure, line);
            }
        }
    }
}
