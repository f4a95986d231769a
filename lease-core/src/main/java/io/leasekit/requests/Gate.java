package io.leasekit.requests;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides whether a lease may be requested now. Thread-safe. */
@Internal
public interface Gate {

    /** {@code item}: the key of the item to read if DynamoDB's time is unknown. */
    Answer ask(List<String> keys, String item);

    /** Returns a known pause of one of these keys without reading the table; {@code null} if no pause is known. */
    default @Nullable LeasePause pauseOf(List<String> keys) {
        return null;
    }

    sealed interface Answer {}

    /** The lease may be requested, with this clock reading. */
    record Open(BoundedClock.Reading reading) implements Answer {}

    /** Before the gate can decide, the pauses or an item must be read. */
    record Unread(Consumer<ClockSync.Receiver> read) implements Answer {}

    /**
     * A pause covers the requested keys.
     *
     * @param nanos the time after which the acquire asks the gate again, in nanoseconds
     */
    record Paused(LeasePause pause, long nanos) implements Answer {}
}
