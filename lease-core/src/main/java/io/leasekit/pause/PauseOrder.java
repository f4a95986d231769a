package io.leasekit.pause;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import org.jspecify.annotations.Nullable;

/** Decides when pauses must be read again and when a pause has ended (protocol 5.11). Thread-safe. */
@Internal
public interface PauseOrder {

    boolean isOld(long ageNanos);

    /**
     * A pause stays in effect until the end of the pause has certainly passed.
     *
     * @param now the interval that contains DynamoDB's time; {@code null} if DynamoDB's time is unknown
     */
    boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now);
}
