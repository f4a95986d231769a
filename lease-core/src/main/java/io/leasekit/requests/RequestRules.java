package io.leasekit.requests;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/** The decisions about DynamoDB's time and about the turn of a request. The engine makes them. Thread-safe. */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /** Returns the clock reading for a request that may be sent now; {@code null}: a recent sample is missing. */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock);

    /** Returns the bound of requests in flight after a reply, which may be a sign of congestion. */
    double boundAfter(double bound, boolean congested);

    /**
     * Returns whether a reply that takes this long may be a sign of congestion.
     *
     * @param usualNanos the shortest duration of requests, which is the normal one on this path
     */
    boolean isSlow(long tookNanos, long usualNanos);

    /** Returns whether fewer requests in flight have made slow replies quicker. Otherwise the path is slow. */
    boolean isQuicker(long tookNanos, long beforeNanos);

    /** Returns whether requests are only probes, because so many have failed in a row. */
    boolean areProbes(int failedInARow);

    /** Returns whether the reply to a renewal would come after the end of its lease. */
    boolean isTooLate(long leftNanos, long tripNanos);

    /** Returns whether a renewal goes before all others. */
    boolean isUrgent(long leftNanos, long ttlNanos);

    /** Returns whether a renewal that still waits shows that a new lease might not be renewed in time. */
    boolean isLate(long leftNanos, long ttlNanos);
}
