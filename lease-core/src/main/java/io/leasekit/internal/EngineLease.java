package io.leasekit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The steps of a lease that annotated methods use and the API does not show. Thread-safe. */
@Internal
public interface EngineLease {

    /**
     * Returns a future that completes once the lease is known to be held, and fails if it was lost or released. It
     * is complete when it is returned, or completes on a thread of the engine; dependent stages must not work on that thread.
     */
    CompletableFuture<Void> confirmed();

    /**
     * Returns the name of the last run that the item had when this lease was granted; {@code null} if there was none.
     */
    @Nullable
    String runBefore();

    /**
     * Releases the lease as {@link io.leasekit.Lease#releaseAsync()} does, except that the calling thread sends the
     * request if there is room for it. The SDK may block the calling thread while it resolves credentials. Use it only
     * on threads that may block; it saves a change of threads.
     */
    CompletionStage<Void> releaseFromHere();

    /** Asks the work under this lease to stop; see {@link io.leasekit.Lease#stopRequested()}. */
    void requestStop();

    /** Notes that nobody works under the lease, so that its release keeps nobody from the key. Call it before the release. */
    void noteUnused();
}
