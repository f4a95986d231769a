package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.springframework.scheduling.annotation.Scheduled;

/** Action when another owner holds the lease, or when it is paused. The method never runs then. */
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
