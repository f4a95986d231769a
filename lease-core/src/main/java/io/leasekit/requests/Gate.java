package io.leasekit.requests;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import java.util.List;
import java.util.function.Consumer;

/**
 * Decides whether a lease may be requested now. An acquire asks before it waits for the request limiter, and again
 * before it sends the request. {@link ClockSync} is the gate that every manager has; features add conditions to it.
 * Thread-safe.
 */
@Internal
public interface Gate {

    /** Asks for a lease of these keys. {@code item}: the item to read if DynamoDB's time is unknown. */
    Answer ask(List<String> keys, String item);

    sealed interface Answer {}

    /** The lease may be requested with this clock reading. */
    record Open(BoundedClock.Reading reading) implements Answer {}

    /** A read must end before the gate is asked again. {@code read} starts the read or joins a read in progress. */
    record Unread(Consumer<ClockSync.Receiver> read) implements Answer {}

    /** The lease is paused. {@code nanos}: the time until the gate is to be asked again. */
    record Paused(LeasePause pause, long nanos) implements Answer {}
}
