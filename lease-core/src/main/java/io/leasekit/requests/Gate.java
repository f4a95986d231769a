package io.leasekit.requests;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a lease may be requested now. An acquire asks the gate twice: before it waits for the request
 * limiter, and before it sends the request. Every manager has the gate {@link ClockSync}; features such as pauses add
 * further conditions. Thread-safe.
 */
@Internal
public interface Gate {

    /**
     * Returns whether a lease of these keys may be requested. {@code item}: the key of the item to read if DynamoDB's
     * time is unknown.
     */
    Answer ask(List<String> keys, String item);

    /**
     * Returns a pause that covers one of these keys, as far as this process knows; {@code null}: none is known. Reads
     * nothing.
     */
    default @Nullable LeasePause pauseOf(List<String> keys) {
        return null;
    }

    sealed interface Answer {}

    /** The lease may be requested, and the request uses this clock reading. */
    record Open(BoundedClock.Reading reading) implements Answer {}

    /**
     * The pauses or an item must be read before the gate can decide. {@code read}: starts the read, or waits for the
     * same read by another caller.
     */
    record Unread(Consumer<ClockSync.Receiver> read) implements Answer {}

    /** A pause covers the keys. {@code nanos}: the time after which the acquire asks the gate again. */
    record Paused(LeasePause pause, long nanos) implements Answer {}
}
