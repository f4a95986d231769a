package io.leasekit.store;

import io.leasekit.internal.Internal;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The storage of leases: the port between the engine and a table.
 *
 * <p>Each write is atomic and conditional, of one item or of several. A store makes no decisions: it evaluates the condition of
 * the command, whose Javadoc defines it, and reports the outcome. A read sees all writes that were answered before (strong
 * consistency).
 *
 * <p>A decorator overrides {@link #send} and returns the {@link #info} of the store behind it.
 *
 * <p>Thread-safe.
 */
@Internal
public interface LeaseStore {

    /**
     * Sends one request. Each kind of {@link StoreRequest} names its replies.
     *
     * <p>The stage completes normally with a {@link StoreReply}, on any thread. It completes after the timeout at the
     * latest as far as the store can ensure that; the engine watches the time as well. The method does not wait for the
     * reply and does not throw.
     */
    CompletionStage<StoreReply> send(StoreRequest request, Duration timeout);

    /** Returns what the store is and can do, as far as is known now. Sends nothing. */
    StoreInfo info();
}
