package io.leasekit.requests;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about DynamoDB's time and about the turn of a request, one method each, without state. Each looks more
 * careful than necessary, but a simpler form breaks in some schedule. The numbers refer to the steps in
 * {@code docs/protocol.md}. Thread-safe.
 */
@Internal
public interface RequestRules extends BoundedClock.Rules {

    /** 8: the number of requests of one manager that may be in flight at first. */
    int FIRST_IN_FLIGHT = 16;

    int LEAST_IN_FLIGHT = 4;
    int MOST_IN_FLIGHT = 32;
    int TRIPS = 4;
    long MIN_ATTEMPT = SECOND / 10;
    long JUMP_MILLIS = 100;

    /**
     * 4.1: a jump is a movement of the wall clock against the monotonic one that the time of reading them cannot
     * explain.
     */
    @Override
    default boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /**
     * 4.2: DynamoDB's time is bounded by the intersection of replies that agree, or by the hull of those that disagree.
     */
    @Override
    default BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
        return intersection.earliest() <= intersection.latest() ? intersection : hull;
    }

    /** 4.1: reads the monotonic clock, then the bounded clock for the expiry. The request is sent after both. */
    default BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /** 4.2: an acquire needs a recent clock sample. */
    default BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /**
     * 8: the bound of requests in flight after a reply. It grows by one a round while requests wait, and is halved by
     * congestion.
     */
    default double boundAfter(double bound, boolean congested) {
        return congested ? Math.max(LEAST_IN_FLIGHT, bound / 2) : Math.min(MOST_IN_FLIGHT, bound + 1 / bound);
    }

    /** 8: a reply that takes this long is a sign of congestion, well before the deadline of an attempt. */
    default boolean isSlow(long tookNanos) {
        return tookNanos >= SECOND / 2;
    }

    /**
     * 5.7: the timeout of a renewal lets several attempts fit into the remaining validity, and none outlives it. A slow
     * table gets the time that it needs at present, because an attempt given up too early is sent again.
     *
     * @param tripNanos the average duration of requests
     */
    default long renewalTimeout(long leftNanos, long tripNanos) {
        long third = Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, leftNanos / 3));
        long needed = Math.min(Requests.TIMEOUT, TRIPS * tripNanos);
        return Math.max(1, Math.min(leftNanos, Math.max(third, needed)));
    }

    /** 8: the reply to this renewal would come after the end, so it waits until there are no others. */
    default boolean isTooLate(long leftNanos, long tripNanos) {
        return leftNanos <= tripNanos;
    }

    /** 8: in the last third of the ttl, a renewal goes before all others and is always tried again. */
    default boolean isUrgent(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 3;
    }

    /** 8: a renewal that waits in the last sixth of the ttl shows that a new lease might not be renewed in time. */
    default boolean isLate(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 6;
    }

    /** 8: a failed renewal is tried again in a batch. It is sent alone if it may hang and few others wait. */
    default boolean isRetriedAlone(int failures, boolean urgent, boolean fewWait) {
        return failures > 1 && urgent && fewWait;
    }
}
