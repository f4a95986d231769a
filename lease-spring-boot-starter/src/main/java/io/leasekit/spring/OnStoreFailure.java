package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when the lease cannot be acquired because the store failed. The call does not run the method. */
public enum OnStoreFailure {
    /**
     * For a firing with a slot, waits until the store answers, without blocking a thread. Once the store answers, this
     * node or another node begins the run late, unless the run is already done or the next slot has begun. All other
     * calls throw {@link LeaseStoreException}.
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
