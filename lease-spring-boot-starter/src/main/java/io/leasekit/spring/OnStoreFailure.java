package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when a call cannot acquire its lease because the store failed. */
public enum OnStoreFailure {
    /**
     * A scheduled call with a slot (a time of the cron expression) waits until the store answers. The waiting call
     * blocks no thread. One node then executes the run late, unless the run is done or the next slot has begun. Calls
     * without a slot throw {@link LeaseStoreException}.
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
