package io.leasekit.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Operations of a manager that the public API does not offer, for the Spring Boot starter. Thread-safe. */
@Internal
public interface EngineTable {

    /** Returns the name of the table, for messages. */
    String table();

    /**
     * Returns DynamoDB's time, as {@link io.leasekit.LeaseManager#time()} does. This method throws an exception only
     * after the store has failed for {@code patience} or the store timeout, whichever is longer.
     */
    Instant time(Duration patience);

    /**
     * Returns a future that completes with DynamoDB's time. While the store fails, the returned future stays
     * incomplete. The returned future fails when the manager closes. Concurrent calls share one read. The future
     * completes on a thread of the engine, on which dependent stages must not run user code.
     */
    CompletableFuture<Instant> awaitTime();

    /**
     * Returns a future with the name of the last finished run of this key. This method reads the item consistently, and
     * repeats the read as long as the store fails. From the reply to the read, the manager learns DynamoDB's time. The
     * returned future fails if the store rejects the read, or when the manager closes. The returned future completes on
     * a thread of the engine, as the future of {@link #awaitTime()} does.
     */
    CompletableFuture<Optional<String>> awaitLastRun(String key);

    /** Returns how long the record of a run stays in the table after the key's last run. */
    Duration onceRetention();
    /**
     * Reopens a closed manager with the settings of its builder. If the owner name was generated, the reopened manager
     * gets a new owner name.
     */
    void reopen();
}
