package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Action when a call does not run the method, because another owner holds the lease or because the lease is paused. If
 * the holder does not finish a scheduled run, this node might execute the run later. See
 * {@link DistributedLease#once()}.
 */
public enum OnUnavailable {
    /** Same as {@link #SKIP} for {@link Scheduled} methods, and same as {@link #THROW} for all other methods. */
    AUTO,
    /**
     * Returns an empty result ({@code null}, an empty {@code Optional} or publisher, or a future that completes with
     * {@code null}). The skipped call is counted and logged at DEBUG. Startup fails if the method returns a primitive
     * or a non-null Kotlin type, because these types have no empty result.
     */
    SKIP,
    /** Throws {@link LeaseUnavailableException}, which names the holder. */
    THROW
}
