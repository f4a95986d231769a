package io.leasekit.engine;

import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The order in which callers of this process ask the store for a lease, and the next step of a released lease (6.1).
 * Implementations override only the methods that they need.
 */
interface QueuePolicy {

    /** A policy with turns. A slot of a permit has none: {@link PermitQueue} starts its acquires. */
    interface Turns extends QueuePolicy {

        /** Enters an acquire. One of its start methods is called when its turn comes. */
        void enter(Acquisition acquisition);
    }

    /** Called when the wait of a queued acquire for its turn is over. */
    default void onImpatient(Acquisition acquisition) {}

    /**
     * Called when the reply to a request sent at {@code sent} showed another owner to an acquire that waits. {@code item} is
     * {@code null} if none was shown. The acquire goes on.
     */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /** Called when the lease is paused. The acquire goes on. */
    default void onPaused(Acquisition acquisition, long now) {}

    /**
     * Called when the reply to a request sent at {@code sent} showed another owner to an acquire that does not wait, or no
     * longer. {@code item} is {@code null} if none was shown. {@link #onEnded} follows.
     */
    default void onRefused(@Nullable LeaseItem item, long sent) {}

    /** Called when the store fails, or renewals are late. The acquire goes on, or {@link #onEnded} follows. */
    default void onFailing(LeaseStoreException error) {}

    /** Called when an acquire got the lease. */
    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /**
     * Called when an acquire has ended without a grant. Its release has been sent; {@code null}: there was none. Called
     * again if the queue starts an acquire that has ended meanwhile: this second call frees the turn. It must do no harm
     * otherwise.
     */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** Called when a lease was lost. It no longer keeps other callers of this process from the key. */
    default void onLost(LeaseState lease) {}

    /** Called when a release begins; {@link #release} follows, maybe on another thread. */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /**
     * Sends the release of a lease that was given back, a delayed one at the end of its delay; or, if
     * {@code mayHandOver}, hands the lease over to the next caller of this process.
     */
    void release(LeaseState lease, Release release, boolean mayHandOver);
}
