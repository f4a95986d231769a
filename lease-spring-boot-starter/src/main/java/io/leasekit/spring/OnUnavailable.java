package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.springframework.scheduling.annotation.Scheduled;

/** What a call does that does not get its lease because another holds it. The method does not run in any case. */
public enum OnUnavailable {
    /** Skips {@link Scheduled} methods, throws elsewhere. */
    AUTO,
    /**
     * Returns without a result: {@code null}, an empty {@code Optional}, a future that completes with {@code null}. A method
     * whose result is a primitive cannot be skipped; the start fails. A skipped call is counted and logged at DEBUG.
     */
    SKIP,
    /** Throws {@link LeaseUnavailableException}, which names the holder. */
    THROW
}
