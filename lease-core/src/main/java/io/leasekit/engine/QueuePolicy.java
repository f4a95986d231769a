package io.leasekit.engine;

import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The local queue of a lease, or the permit, as an acquire and its lease see it (6.1): receives their events and their
 * release. Decides in which order callers of this process request a lease, and whether a released lease is handed over
 * to the next caller. Implementations override only the methods that they need.
 */
interface QueuePolicy {

    /**
     * A policy that starts the acquires, in order. For permits, {@link PermitQueue} starts the acquires instead.
     */
    interface Turns extends QueuePolicy {

        /** Enters an acquire. The policy calls a start method of the acquire when it is first in the queue. */
        void enter(Acquisition acquisition);
    }

    /** Called when an acquire has been in the queue for its maximum time. */
    default void onImpatient(Acquisition acquisition) {}

    /**
     * Called when an acquire waits, because the reply to a request sent at {@code sent} showed another owner. {@code
     * item}: the shown item; {@code null}: none. The acquire continues.
     */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /** Called when the lease is paused. The acquire continues. */
    default void onPaused(Acquisition acquisition, long now) {}

    /**
     * Called when an acquire ends because the reply to a request sent at {@code sent} showed another owner, and the
     * acquire does not wait any longer. {@code item}: the shown item; {@code null}: none. After this call, {@link
     * #onEnded} is called.
     */
    default void onRefused(@Nullable LeaseItem item, long sent) {}

    /**
     * Called when the store fails, or renewals of this process are late. The acquire continues, or {@link #onEnded} is
     * called next.
     */
    default void onFailing(LeaseStoreException error) {}

    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /**
     * Called when an acquire has ended without a grant. {@code release}: the release that was sent; {@code null}: none.
     * If the queue starts an acquire that has already ended, this method is called a second time. The second call lets
     * the next acquire start, and must have no other effect.
     */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** Called when a lease was lost. The lease no longer keeps other callers of this process from the key. */
    default void onLost(LeaseState lease) {}

    /** Called when a release starts. {@link #release} is called later, possibly on another thread. */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /**
     * Sends the release of a lease that was given back. If the release is delayed, sends the release at the end of the
     * delay. If {@code mayHandOver} is true, the policy may instead hand the lease over to the next caller of this
     * process.
     */
    void release(LeaseState lease, Release release, boolean mayHandOver);
}
