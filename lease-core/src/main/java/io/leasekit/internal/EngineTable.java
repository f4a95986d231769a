package io.leasekit.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A manager as the starter uses it beyond the API. Thread-safe. */
@Internal
public interface EngineTable {

    /** Returns its name, for messages. */
    String table();

    /**
     * Returns the time as {@link io.leasekit.LeaseManager#time()} does, but fails only if the store fails for this long and
     * for the store timeout.
     */
    Instant time(Duration patience);

    /**
     * Returns a future that completes when DynamoDB's time is known, however long the store fails, and fails when the manager is
     * closed. All futures share the reads. It completes on a thread of the engine; dependent stages must not work on that thread.
     */
    CompletableFuture<Instant> awaitTime();

    /**
     * Returns a future with the name of the last run of this key that is done, by one consistent read, however long the store fails.
     * Fails if the store rejects the read, or when the manager is closed. Completes as {@link #awaitTime()} does; the reply shows
     * DynamoDB's time, too.
     */
    CompletableFuture<Optional<String>> awaitLastRun(String key);

    /** Returns how long the table remembers runs after the last one. */
    Duration onceRetention();
    /** Opens the manager again if it is closed, with the settings it was built with; a generated owner name is new. */
    void reopen();
}
