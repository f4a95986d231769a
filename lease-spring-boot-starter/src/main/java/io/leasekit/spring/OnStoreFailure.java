package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when the lease cannot be acquired because the store failed. The call does not run the method. */
public enum OnStoreFailure {
    /**
     * For a firing with a slot, waits until the store answers, without blocking a thread. The run then begins late, on
     * this node or another, unless it is done or the next slot has begun. All other calls throw
     * {@link LeaseStoreException}.
     */
    AUTO,
    /** Throws {@link LeaseStoreException}. */
    THROW,
    /**
     * Returns an empty result, as {@link OnUnavailable#SKIP} does. Logs a warning, or a DEBUG line if this outage is
     * already logged.
     */
    SKIP
}
