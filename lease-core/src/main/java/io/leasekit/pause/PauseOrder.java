package io.leasekit.pause;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import org.jspecify.annotations.Nullable;

/** The decisions about pauses (protocol 5.11). Stateless, so thread-safe. */
@Internal
public interface PauseOrder {

    /** Returns whether the pauses are read again before an acquire, this long after the last read was sent. */
    boolean isOld(long ageNanos);

    /**
     * Returns whether a pause has not surely ended.
     *
     * @param untilNanos its end, in epoch nanoseconds
     * @param now DynamoDB's time; {@code null}: unknown
     */
    boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now);
}
