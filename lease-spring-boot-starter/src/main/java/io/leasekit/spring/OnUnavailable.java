package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Action when another owner holds the lease, or when it is paused. The call does not run the method. If it was a firing
 * that belongs to a run, this node may still execute that run later, if the holder does not finish it. See
 * {@link DistributedLease#once()}.
 */
public enum OnUnavailable {
    /** Skips calls of {@link Scheduled} methods; throws for all others. */
    AUTO,
    /**
     * Returns an empty result: {@code null}, an empty {@code Optional} or publisher, or a future that completes with
     * {@code null}. A method that returns a primitive, or a Kotlin function whose result is not nullable, cannot be
     * skipped, and the application does not start. A skipped call is counted
     * and logged at DEBUG.
     */
    SKIP,
    /** Throws {@link LeaseUnavailableException}, which names the holder. */
    THROW
}
