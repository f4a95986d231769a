package io.leasekit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Operations of a lease that the public API does not offer, for calls of annotated methods. Thread-safe. */
@Internal
public interface EngineLease {

    /**
     * Returns a future that completes once the lease is known to be held, and fails if the lease has ended. Dependent
     * stages must not run user code on a thread of the engine.
     */
    CompletableFuture<Void> confirmed();

    /** Returns the last run that the item named when this lease was granted; {@code null} if the item named no run. */
    @Nullable
    String runBefore();

    /**
     * Sends the release on the calling thread to save a thread switch. Call this method only on threads that may block,
     * because the SDK can block while it resolves credentials.
     */
    CompletionStage<Void> releaseFromHere();

    void requestStop();

    /** Notes that no work ran under the lease, so that the release ignores {@code holdAtLeast} and {@code cooldown}. */
    void noteUnused();
}
