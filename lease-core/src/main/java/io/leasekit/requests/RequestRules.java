package io.leasekit.requests;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about DynamoDB's time and about the order of requests. The engine implements this interface.
 * Thread-safe.
 */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /**
     * Returns the clock reading for an acquire that is sent now; {@code null}: no recent reply has shown DynamoDB's
     * time, so no acquire may be sent.
     */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock);

    /**
     * Returns the new limit of requests in flight after a reply. {@code congested}: whether the reply is a sign of
     * congestion.
     */
    double boundAfter(double bound, boolean congested);

    /**
     * Returns whether the duration of a request, {@code tookNanos}, may be a sign of congestion.
     *
     * @param usualNanos the shortest duration of a request so far, which is considered normal for this network path
     */
    boolean isSlow(long tookNanos, long usualNanos);

    /**
     * Returns whether replies became quicker when fewer requests were in flight. If replies did not become quicker, the
     * network path is slow, not the table. {@code tookNanos}: the shortest duration with fewer requests in flight;
     * {@code beforeNanos}: the duration of the slow request that lowered their limit.
     */
    boolean isQuicker(long tookNanos, long beforeNanos);

    /** Returns whether only a few requests are sent, as probes, because so many consecutive requests have failed. */
    boolean areProbes(int failedInARow);

    /**
     * Returns whether the reply to a renewal would arrive after the end of the lease. {@code leftNanos}: the time until
     * the end of the lease; {@code tripNanos}: the average duration of a request.
     */
    boolean isTooLate(long leftNanos, long tripNanos);

    /** Returns whether the renewal of a lease that ends in {@code leftNanos} is sent before all other requests. */
    boolean isUrgent(long leftNanos, long ttlNanos);

    /**
     * Returns whether a waiting renewal is so late that a new lease might not be renewed in time. {@code leftNanos}:
     * the time until the end of the lease that the renewal extends.
     */
    boolean isLate(long leftNanos, long ttlNanos);
}
