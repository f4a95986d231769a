package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** Action when the lease cannot be acquired because the store failed. The method never runs then. */
public enum OnStoreFailure {
    /** Throws {@link LeaseStoreException}. */
    THROW,
    /** Logs a warning, or less in an outage that was logged, and returns an empty result, as {@link OnUnavailable#SKIP} does. */
    SKIP
}
