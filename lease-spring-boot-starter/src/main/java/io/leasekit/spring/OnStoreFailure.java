package io.leasekit.spring;

import io.leasekit.LeaseStoreException;

/** What a call does that does not get its lease because the store failed. The method does not run in any case. */
public enum OnStoreFailure {
    /** Throws {@link LeaseStoreException}. */
    THROW,
    /** Logs a warning and returns without a result, as {@link OnUnavailable#SKIP} does. */
    SKIP
}
