package io.leasekit.engine;

import static io.leasekit.internal.EngineTime.MILLI;

import io.leasekit.engine.Validity.Confirmed;
import io.leasekit.requests.BoundedClock;
import org.jspecify.annotations.Nullable;

/**
 * The delay of a release by a short hold (protocol 6.5).
 *
 * @param until the monotonic time of its end
 * @param begunAtMillis the time of its begin, in epoch milliseconds
 * @param endsAtMillis the time of its end, in epoch milliseconds
 */
record ReleaseDelay(long until, long begunAtMillis, long endsAtMillis) {

    /**
     * Returns the delay of a release that keeps others from the key; {@code null}: there is none.
     *
     * @param until the monotonic time until which others are kept from the key
     * @param token the token of the lease
     * @param held the last confirmation of the lease
     */
    static @Nullable ReleaseDelay of(long until, long token, Confirmed held, LeaseRules rules, BoundedClock clock) {
        BoundedClock.Reading reading = rules.beforeSending(clock);
        if (reading == null || !held.isKnown(clock)) {
            return null;
        }
        long hold = until - reading.sent();
        return rules.delaysRelease(hold, reading.earliest(), token, held.remaining(reading.sent()))
                ? new ReleaseDelay(until, reading.middleMillis(), reading.middleMillis() + hold / MILLI)
                : null;
    }
}
