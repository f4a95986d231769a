package io.leasekit.requests;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a lease may be requested now. An acquire asks the gate twice: before it waits for the request
 * limiter, and before it sends the request. Every manager uses {@link ClockSync} as a gate; features such as pauses add
 * further conditions. Thread-safe.
 */
@Internal
public interface Gate {

    /**
     * Returns whether a lease of these keys may be requested now.
     *
     * @param item the key of the item to read if DynamoDB's time is unknown
     */
    Answer ask(List<String> keys, String item);

    /**
     * Returns a known pause that covers one of these keys; {@code null} if no pause is known. Does not read the table.
     */
    default @Nullable LeasePause pauseOf(List<String> keys) {
        return null;
    }

    sealed interface Answer {}

    /**
     * The lease may be requested.
     *
     * @param reading the clock reading that the request must use
     */
    record Open(BoundedClock.Reading reading) implements Answer {}

    /**
     * Before the gate can decide, the pauses or an item must be read.
     *
     * @param read starts the read, or waits for a read that is already in flight
     */
    record Unread(Consumer<ClockSync.Receiver> read) implements Answer {}

    /**
     * A pause covers the requested keys.
     *
     * @param nanos the time after which the acquire asks the gate again, in nanoseconds
     */
    record Paused(LeasePause pause, long nanos) implements Answer {}
}
