package io.leasekit.log;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;

/**
 * Implemented by a manager that logs the outages of its table. Calls that fail because of an outage are not logged
 * individually: the log lines about the outage state the number of failed calls. Thread-safe.
 */
@Internal
public interface CallLog {

    /** Counts a call that got no lease because the store failed. {@code name}: the name of the lease, for display. */
    void countFailedCall(String name);

    /**
     * Logs that a call got no lease because the store failed. Runs {@code debug} during an outage that is already
     * logged, and {@code warning} at all other times. The number of warnings per minute is limited.
     */
    void logFailedCall(Runnable warning, Runnable debug);

    /** Counts a call that got no lease from this manager. Has no effect if the manager is not a {@code CallLog}. */
    static void count(Object manager, String name) {
        if (manager instanceof CallLog known) {
            known.countFailedCall(name);
        }
    }

    /**
     * Logs that a call got no lease from this manager. If the manager is not a {@code CallLog}, the number of log lines
     * is not limited. An exception from a logger has no effect.
     */
    static void log(Object manager, Runnable warning, Runnable debug) {
        Quietly.run(() -> {
            if (manager instanceof CallLog known) {
                known.logFailedCall(warning, debug);
            } else {
                warning.run();
            }
        });
    }
}
