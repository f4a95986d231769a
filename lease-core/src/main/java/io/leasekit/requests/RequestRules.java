package io.leasekit.requests;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/** The decisions about DynamoDB's time and about the order of requests, implemented by the engine. Thread-safe. */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /**
     * Returns the clock reading for an acquire that is sent now; {@code null}: the clock has no recent sample, so no
     * acquire may be sent.
     */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock);

    /**
     * Returns the new limit of requests in flight after a reply. {@code congested}: whether the reply is a sign of
     * congestion.
     */
    double boundAfter(double bound, boolean congested);

    /**
     * Returns whether a request that took {@code tookNanos} might be a sign of congestion.
     *
     * @param usualNanos the shortest duration of a request so far, which counts as normal for this network path
     */
    boolean isSlow(long tookNanos, long usualNanos);

    /**
     * Returns whether replies became quicker with fewer requests in flight. If they did not, the network path is slow.
     * {@code tookNanos}: the shortest duration with fewer requests; {@code beforeNanos}: the duration of the slow
     * reply.
     */
    boolean isQuicker(long tookNanos, long beforeNanos);

    /** Returns whether only probes are sent, because so many consecutive requests have failed. */
    boolean areProbes(int failedInARow);

    /**
     * Returns whether the reply to a renewal would arrive after the end of the lease. {@code leftNanos}: the time until
     * that end; {@code tripNanos}: the average duration of requests.
     */
    boolean isTooLate(long leftNanos, long tripNanos);

    /** Returns whether the renewal of a lease with {@code leftNanos} left has priority over all other requests. */
    boolean isUrgent(long leftNanos, long ttlNanos);

    /**
     * Returns whether the waiting renewal of a lease with {@code leftNanos} left is so late that a new lease might not
     * be renewed in time.
     */
    boolean isLate(long leftNanos, long ttlNanos);
}
