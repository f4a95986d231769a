package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when a call cannot acquire its lease because the store failed. */
public enum OnStoreFailure {
    /**
     * A firing with a slot (a time of the cron expression) waits until the store answers. The waiting firing blocks no
     * thread. After the store has answered, one node executes the run late, if it is not done and the next slot has not
     * begun. Calls without a slot throw {@link LeaseStoreException}.
     */
    AUTO,
    /** Throws {@link LeaseStoreException}. */
    THROW,
    /**
     * Returns an empty result, as {@link OnUnavailable#SKIP} does. Logs a warning, or a DEBUG line if a warning for the
     * same outage is already logged.
     */
    SKIP
}
