package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Action when a call does not run the method, because another owner holds the lease or because the lease is paused. If
 * the call was a firing (a call by the scheduler), this node might still execute the firing's run later, because the
 * holder may fail to finish the run. See {@link DistributedLease#once()}.
 */
public enum OnUnavailable {
    /** Same as {@link #SKIP} for {@link Scheduled} methods, and same as {@link #THROW} for all other methods. */
    AUTO,
    /**
     * Returns an empty result: {@code null}, an empty {@code Optional} or publisher, or a future that completes with
     * {@code null}. The skipped call is counted and logged at DEBUG. Startup fails if the method returns a primitive,
     * or is a Kotlin function whose result is not nullable, because these types have no empty result.
     */
    SKIP,
    /** Throws {@link LeaseUnavailableException}, which names the holder. */
    THROW
}
