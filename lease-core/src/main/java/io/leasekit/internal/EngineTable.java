package io.leasekit.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Operations of a manager that the starter uses and the API does not offer. Thread-safe. */
@Internal
public interface EngineTable {

    /** Returns the name of the table, for messages. */
    String table();

    /**
     * Returns the same time as {@link io.leasekit.LeaseManager#time()}. Fails only after the store has failed for
     * {@code patience} plus the store timeout.
     */
    Instant time(Duration patience);

    /**
     * Returns a future that completes with DynamoDB's time. While the store fails, the future waits. The future fails
     * when the manager closes. Concurrent calls share one read. The future completes on a thread of the engine, on
     * which dependent stages must not run user code.
     */
    CompletableFuture<Instant> awaitTime();

    /**
     * Returns a future with the name of the last finished run of this key. The name comes from a consistent read, which
     * is repeated as long as the store fails. The reply to the read also shows DynamoDB's time. The future fails if the
     * store rejects the read, or when the manager closes. The future completes on a thread of the engine, as
     * {@link #awaitTime()} does.
     */
    CompletableFuture<Optional<String>> awaitLastRun(String key);

    /** Returns for how long the table remembers runs, counted from the last run. */
    Duration onceRetention();
    /**
     * Reopens a closed manager with the settings of its builder. If the owner name was generated, the manager gets a
     * new name.
     */
    void reopen();
}
