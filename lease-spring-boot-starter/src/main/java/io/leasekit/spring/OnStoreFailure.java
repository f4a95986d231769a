package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when a call cannot acquire its lease because the store failed, and therefore does not run the method. */
public enum OnStoreFailure {
    /**
     * A firing with a slot (a time of the cron expression) waits until the store answers. The wait blocks no thread.
     * After the store has answered, this node or another node executes the run late, unless the run is already done or
     * the next slot has begun. Calls without a slot throw {@link LeaseStoreException}.
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
