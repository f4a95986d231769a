package io.leasekit.store;

import io.leasekit.internal.Internal;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The storage of leases: the interface between the engine and a table.
 *
 * <p>Each write is atomic and conditional, for one item or for several. A store has no rules of its own: it evaluates
 * the condition in a command's Javadoc and reports the outcome. A read sees all writes whose replies arrived before the
 * read was sent (strong consistency).
 *
 * <p>A decorator overrides {@link #send} and returns the {@link #info} of the decorated store.
 *
 * <p>Thread-safe.
 */
@Internal
public interface LeaseStore {

    /**
     * Sends one request. The Javadoc of each kind of {@link StoreRequest} lists the possible replies.
     *
     * <p>The stage completes normally with a {@link StoreReply}, on any thread. The store should complete the stage
     * within {@code timeout}. The engine also measures the timeout itself, in case the store exceeds it. This method
     * does not wait for the reply and does not throw.
     */
    CompletionStage<StoreReply> send(StoreRequest request, Duration timeout);

    /** Returns the properties and abilities of the store, as far as the store knows them now. Sends no request. */
    StoreInfo info();
}
