package io.leasekit.pause;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import org.jspecify.annotations.Nullable;

/** Decides when pauses must be read again and when a pause has ended (protocol 5.11). Stateless and thread-safe. */
@Internal
public interface PauseOrder {

    /** Returns whether pauses that were read {@code ageNanos} ago must be read again before an acquire. */
    boolean isOld(long ageNanos);

    /**
     * Returns whether a pause is still in effect. A pause stays in effect until its end has certainly passed.
     *
     * @param untilNanos the end of the pause, in epoch nanoseconds
     * @param now the interval that contains DynamoDB's time; {@code null} if DynamoDB's time is unknown
     */
    boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now);
}
