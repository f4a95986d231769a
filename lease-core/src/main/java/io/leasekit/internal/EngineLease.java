package io.leasekit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Operations of a lease that the public API does not offer, for calls of annotated methods. Thread-safe. */
@Internal
public interface EngineLease {

    /**
     * Returns a future that completes once the lease is known to be held, and fails if the lease was lost or released.
     * The future may complete on a thread of the engine. Dependent stages must not run user code on a thread of the
     * engine.
     */
    CompletableFuture<Void> confirmed();

    /**
     * Returns the name of the last run that the item contained when this lease was granted; {@code null} if the item
     * contained no run.
     */
    @Nullable
    String runBefore();

    /**
     * Releases the lease as {@link io.leasekit.Lease#releaseAsync()} does, but sends the request on the calling thread
     * to save a thread switch. If the request must wait in the request queue, it is sent later. Call this method only
     * on threads that may block, because the SDK can block while it resolves credentials.
     */
    CompletionStage<Void> releaseFromHere();

    /** Asks the work under this lease to stop; see {@link io.leasekit.Lease#stopRequested()}. */
    void requestStop();

    /**
     * Notes that no work ran under the lease, so that the release ignores {@code holdAtLeast} and {@code cooldown}.
     * Call {@code noteUnused} before the release of the lease.
     */
    void noteUnused();
}
