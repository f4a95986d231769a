package io.leasekit.log;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;

/**
 * A manager that logs outages of its table. Calls that fail because of an outage have no line each; the lines of the
 * outage contain their number. Thread-safe.
 */
@Internal
public interface CallLog {

    /** Counts a call that got no lease because the store failed; {@code name}: the name of its lease, for display. */
    void countFailedCall(String name);

    /**
     * Logs that a call got no lease because the store failed: in DEBUG during an outage that was logged, otherwise as a
     * warning, of which there are at most some in a minute.
     */
    void logFailedCall(Runnable warning, Runnable debug);

    /** Counts a call that got no lease from this manager. Has no effect if the manager is of another kind. */
    static void count(Object manager, String name) {
        if (manager instanceof CallLog known) {
            known.countFailedCall(name);
        }
    }

    /**
     * Logs a call that got no lease from this manager. If the manager is of another kind, there is no limit. No call depends on
     * a logger.
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
