package io.leasekit.kernel;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides in which order the callers of this process request a lease, and whether a released lease is passed to the
 * next caller (protocol 6.1). An acquire and its lease report events, such as a grant or a loss, to their policy, which
 * is the queue of the key or, for a permit, the permit in the {@link PermitQueue}. Implementations override only the
 * methods that they need.
 */
@Internal
public interface LocalQueue {

    /**
     * A policy that also starts the acquires of a lease, in order. Permits need no such policy, because {@link
     * PermitQueue} starts their acquires.
     */
    interface Turns extends LocalQueue {

        /** Adds an acquire to the queue. When the acquire is first in the queue, the queue starts it. */
        void enter(Acquisition acquisition);
    }

    /** Called when an acquire has been in the queue for the maximum time. */
    default void onImpatient(Acquisition acquisition) {}

    /**
     * Called when an acquire begins or continues to wait, because the reply to a request that was sent at {@code sent}
     * showed another owner. {@code item}: the item in the reply; {@code null}: the reply showed no item.
     */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /** Called when an acquire waits because the lease is paused. */
    default void onPaused(Acquisition acquisition, long now) {}

    /**
     * Called when an acquire is about to end without a lease, because the reply to a request that was sent at {@code
     * sent} showed another owner and the acquire does not wait any longer. {@code item}: the item in the reply; {@code
     * null}: the reply showed no item. {@link #onEnded} is called next.
     */
    default void onRefused(@Nullable LeaseItem item, long sent) {}

    /**
     * Called when an acquire cannot continue for now, because the store fails or renewals of this process are late. The
     * acquire tries again later, or {@link #onEnded} is called next.
     */
    default void onFailing(LeaseStoreException error) {}

    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /**
     * Called when an acquire has ended without a lease. {@code release}: the release of what the acquire may have
     * written; {@code null}: there is nothing to release. If the queue starts an acquire that has already ended, this
     * method is called again. In this second call, the queue must only start the next acquire.
     */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** Called when this process has lost a lease. From now on, other callers of this process may request the key. */
    default void onLost(LeaseState lease) {}

    /**
     * Called when a lease is given back, before {@link #release} is called, possibly on another thread. {@code
     * released}: completes when the lease is released.
     */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /**
     * Sends the release of a lease that was given back. If the release has a delay, sends it at the end of the delay.
     * If {@code mayHandOver} is true, the policy may pass the lease to the next caller of this process instead of
     * sending the release.
     */
    void release(LeaseState lease, Release release, boolean mayHandOver);
}
