package io.leasekit.shedlock;

import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.schedule.Firing;

/** Finds the calls of {@code @DistributedLease} methods on the current thread, if the starter is present. */
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

    static boolean hold(LeaseManager manager, String key) {
        return POSSIBLE && LeaseFrame.isHeldHere(manager, key);
    }

    /**
     * If a scheduled method on this thread throws {@code failure}, {@code line} replaces Spring's stack trace in the
     * log.
     */
    static void logInstead(Throwable failure, Runnable line) {
        if (POSSIBLE) {
            Firings.logInstead(failure, line);
        }
    }

    /** A separate class, which the JVM loads only if the starter is present. */
    private static final class Firings {

        static void logInstead(Throwable failure, Runnable line) {
            Firing firing = Firing.current();
            if (firing != null) {
                firing.logInstead(failure, line);
            }
        }
    }
}
