package io.leasekit.internal;

import java.util.concurrent.CompletableFuture;

/** A lease whose validity can be awaited without a thread. Thread-safe. */
@Internal
public interface ConfirmedLater {

    /**
     * Returns a future that completes once the lease is known to be held, and fails if it was lost or released. It
     * completes on a thread of the engine; dependents must leave that thread.
     */
    CompletableFuture<Void> confirmed();
}
