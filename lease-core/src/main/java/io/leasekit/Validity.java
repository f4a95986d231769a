package io.leasekit;

/**
 * Until when a lease is known to be held (protocol 4.1).
 *
 * @param until the monotonic time at which it ends
 * @param expiry what the table shows, in epoch nanoseconds of DynamoDB's time
 * @param epoch how many clock jumps had been seen when the write was made
 */
record Validity(long until, long expiry, int epoch) {

    /** Returns how long it lasts, in nanoseconds. */
    long remaining(long now) {
        return until - now;
    }

    /** Returns whether it has ended, by either clock. */
    boolean isOver(long now, BoundedClock clock) {
        BoundedClock.Interval interval = clock.at(now);
        return remaining(now) <= 0 || (interval != null && interval.earliest() >= expiry);
    }

    /** Returns whether no clock has jumped since the write that confirmed it: else a renewal has to tell. */
    boolean isConfirmed(BoundedClock clock) {
        return epoch == clock.epoch();
    }
}
