package io.leasekit.requests;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/** The decisions about DynamoDB's time and about the order of requests. Thread-safe. */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /**
     * Returns the clock reading for an acquire; {@code null} if no recent reply has shown DynamoDB's time. Without a
     * reading, no acquire may be sent.
     */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock);

    /** Returns the new limit of requests in flight after a reply. */
    double boundAfter(double bound, boolean congested);

    /**
     * Returns whether a request was so slow that the table may be congested.
     *
     * @param usualNanos the shortest duration of a request since the limiter last judged the network to be slow
     */
    boolean isSlow(long tookNanos, long usualNanos);

    /**
     * Returns whether replies have become clearly faster since the limit was lowered.
     *
     * @param tookNanos the shortest duration of a request since the limit was lowered
     * @param beforeNanos the duration of the request whose slow reply caused the lower limit
     */
    boolean isQuicker(long tookNanos, long beforeNanos);

    /** Returns whether the limiter sends only probes after so many consecutive failures. */
    boolean areProbes(int failedInARow);

    /** Returns whether the reply to a renewal would arrive after the end of the lease. */
    boolean isTooLate(long leftNanos, long tripNanos);

    /** Returns whether the renewal of a lease that ends in {@code leftNanos} is sent before all other requests. */
    boolean isUrgent(long leftNanos, long ttlNanos);

    /** Returns whether a renewal has waited so long that a new lease might not be renewed in time. */
    boolean isLate(long leftNanos, long ttlNanos);
}
