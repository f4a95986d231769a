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
 * <p>Thread-safe.
 */
@Internal
public interface LeaseStore {

    /**
     * The Javadoc of each kind of {@link StoreRequest} lists the possible replies.
     *
     * <p>The stage completes normally with a {@link StoreReply}, on any thread. The store should complete the stage
     * within {@code timeout}; the engine also measures the timeout itself. This method does not wait for the reply and
     * does not throw.
     */
    CompletionStage<StoreReply> send(StoreRequest request, Duration timeout);

    /** Returns what the store knows about itself and its table now, without sending a request. */
    StoreInfo info();
}
