package io.leasekit.shedlock;

import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.schedule.Firing;

/** The {@code @DistributedLease} calls of the current thread; always empty without the starter. */
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

    /** Returns whether such a call holds the lease of this key. */
    static boolean hold(LeaseManager manager, String key) {
        return POSSIBLE && LeaseFrame.isHeldHere(manager, key);
    }

    /**
     * Logs this line instead of a stack trace if this failure ends a scheduled method that Spring runs on this thread.
     */
    static void logInstead(Throwable failure, Runnable line) {
        if (POSSIBLE) {
            Firings.logInstead(failure, line);
        }
    }

    /** A class of its own, loaded only if the starter is present. */
    private static final class Firings {

        static void logInstead(Throwable failure, Runnable line) {
            Firing firing = Firing.current();
            if (firing != null) {
                firing.logInstead(failure, line);
            }
        }
    }
}
