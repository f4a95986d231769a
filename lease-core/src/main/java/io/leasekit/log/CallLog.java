package io.leasekit.log;

import io.leasekit.internal.Internal;

/**
 * A manager that logs outages of its table. The calls that fail because of one are a number in its lines, in place of a line
 * each. Thread-safe.
 */
@Internal
public interface CallLog {

    /** Counts a call that got no lease because the store failed; {@code name}: that of its lease, for people. */
    void countFailedCall(String name);

    /**
     * Logs that a call got no lease because the store failed: in DEBUG during an outage that was logged, otherwise as a
     * warning, of which there are at most some in a minute.
     */
    void logFailedCall(Runnable warning, Runnable debug);

    /** Counts a call that got no lease from this manager. One of another kind counts nothing. */
    static void count(Object manager, String name) {
        if (manager instanceof CallLog known) {
            known.countFailedCall(name);
        }
    }

    /** Logs a call that got no lease from this manager. One of another kind has no limit. */
    static void log(Object manager, Runnable warning, Runnable debug) {
        if (manager instanceof CallLog known) {
            known.logFailedCall(warning, debug);
        } else {
            warning.run();
        }
    }
}
