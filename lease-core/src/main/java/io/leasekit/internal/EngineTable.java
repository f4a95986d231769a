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
     * Returns the same time as {@link io.leasekit.LeaseManager#time()}, but fails only after the store has failed for
     * this duration plus the store timeout.
     */
    Instant time(Duration patience);

    /**
     * Returns a future that completes when DynamoDB's time is known, however long the store fails. The future fails
     * when the manager closes. Concurrent calls share one read. The futures complete on a thread of the engine, on
     * which dependent stages must not run user code.
     */
    CompletableFuture<Instant> awaitTime();

    /**
     * Returns a future with the name of this key's last run that is done. One consistent read gets it, retried for as
     * long as the store fails; its reply also shows DynamoDB's time. The future fails if the store rejects the read, or
     * when the manager closes. The future completes on a thread of the engine, as {@link #awaitTime()} does.
     */
    CompletableFuture<Optional<String>> awaitLastRun(String key);

    /** Returns how long the table remembers runs after the last run. */
    Duration onceRetention();
    /** Reopens a closed manager with the settings of its builder. A generated owner name is replaced by a new one. */
    void reopen();
}
