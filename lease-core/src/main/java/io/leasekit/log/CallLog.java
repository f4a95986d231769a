package io.leasekit.log;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;

/** Counts the calls that fail during an outage of the table, so that the log need not show each call. Thread-safe. */
@Internal
public interface CallLog {

    /** {@code name}: the name of the lease, for display. */
    void countFailedCall(String name);

    /** Runs {@code debug} during an outage that is already logged, and {@code warning} at all other times. */
    void logFailedCall(Runnable warning, Runnable debug);

    static void count(Object manager, String name) {
        if (manager instanceof CallLog known) {
            known.countFailedCall(name);
        }
    }

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
