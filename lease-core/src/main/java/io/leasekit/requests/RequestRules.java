package io.leasekit.requests;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/** The decisions about DynamoDB's time and about the order of requests, implemented by the engine. Thread-safe. */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /** Returns the clock reading for a request that may be sent now; {@code null}: there is no recent clock sample. */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock);

    /**
     * Returns the new limit of requests in flight after a reply. {@code congested}: whether the reply is a sign of
     * congestion.
     */
    double boundAfter(double bound, boolean congested);

    /**
     * Returns whether a reply with this duration may be a sign of congestion.
     *
     * @param usualNanos the shortest duration of requests, which is normal on this network path
     */
    boolean isSlow(long tookNanos, long usualNanos);

    /** Returns whether fewer requests in flight have made slow replies quicker. If not, the network path is slow. */
    boolean isQuicker(long tookNanos, long beforeNanos);

    /** Returns whether only probes are sent, because so many consecutive requests have failed. */
    boolean areProbes(int failedInARow);

    /** Returns whether the reply to a renewal would arrive after the end of the lease. */
    boolean isTooLate(long leftNanos, long tripNanos);

    /** Returns whether a renewal has priority over all other requests. */
    boolean isUrgent(long leftNanos, long ttlNanos);

    /** Returns whether a waiting renewal is so late that a new lease might not be renewed in time. */
    boolean isLate(long leftNanos, long ttlNanos);
}
