package io.leasekit.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Operations of a manager that the public API does not offer, for the Spring Boot starter. Thread-safe. */
@Internal
public interface EngineTable {

    String table();

    /**
     * Throws an exception only after the store has failed for {@code patience} or the store timeout, whichever is
     * longer.
     */
    Instant time(Duration patience);

    /**
     * While the store fails, the returned future stays incomplete; when the manager closes, the future fails. Dependent
     * stages must not run user code, because the future completes on a thread of the engine.
     */
    CompletableFuture<Instant> awaitTime();

    /**
     * Reads the last finished run of the key consistently, and repeats the read while the store fails. Dependent stages
     * must not run user code, because the future completes on a thread of the engine.
     */
    CompletableFuture<Optional<String>> awaitLastRun(String key);

    Duration onceRetention();

    /** Reopens a closed manager with the settings of its builder; a generated owner name is generated again. */
    void reopen();
}
