package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when the lease cannot be acquired because the store failed. In that case, the call does not run the method. */
public enum OnStoreFailure {
    /**
     * Lets a firing with a slot wait, without a thread, until the store answers: the run then begins late, on this node or on another,
     * unless it is done or the next slot has begun. All other calls throw {@link LeaseStoreException}.
     */
    AUTO,
    /** Throws {@link LeaseStoreException}. */
    THROW,
    /** Logs a warning, or less in an outage that was logged, and returns an empty result, as {@link OnUnavailable#SKIP} does. */
    SKIP
}
