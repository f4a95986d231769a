package io.leasekit.kernel;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides in which order the callers of this process request a lease, and whether a released lease is passed to the
 * next caller (protocol 6.1). An acquire and its lease report events, such as a grant or a loss, to their {@code
 * LocalQueue}. A permit in the {@code PermitQueue} is the {@code LocalQueue} of its own acquires and leases.
 * Implementations override only the methods that they need.
 */
@Internal
public interface LocalQueue {

    /**
     * A {@code LocalQueue} that starts the acquires of a lease. Acquires of permits enter no {@code Turns}, because
     * {@code PermitQueue} starts them.
     */
    interface Turns extends LocalQueue {

        /** Adds an acquire to the queue. When the acquire is first in the queue, the queue starts it. */
        void enter(Acquisition acquisition);
    }

    /** Called when the time limit of a queued acquire has passed. */
    default void onImpatient(Acquisition acquisition) {}

    /**
     * Called when an acquire waits because a reply showed another owner. {@code item}: the item in the reply; {@code
     * null}: the reply showed no item. {@code sent}: the monotonic time at which the acquire sent the request.
     */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /**
     * Called before {@link #onEnded} if an acquire ends without a lease because a reply showed another owner. {@code
     * item}: the item in the reply; {@code null}: the reply showed no item. {@code sent}: the monotonic time at which
     * the acquire sent the request.
     */
    default void onRefused(@Nullable LeaseItem item, long sent) {}

    /**
     * Called when an acquire cannot continue for now, because the store fails or renewals of this process are late.
     * After this call, the acquire is retried, or {@link #onEnded} is called.
     */
    default void onFailing(LeaseStoreException error) {}

    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /**
     * Called when an acquire has ended without a lease. {@code release}: the release of what the acquire may have
     * written; {@code null} if there is nothing to release. A second call for the same acquire means that the queue has
     * started an ended acquire, so the queue must start the next acquire.
     */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** Called when this process has lost a lease. After the loss, other callers of this process may request the key. */
    default void onLost(LeaseState lease) {}

    /**
     * Called before {@link #release}, when the holder gives a lease back. Any thread may call this method. {@code
     * released}: completes when the lease is released.
     */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /**
     * Sends the release of a lease that was given back. If the release has a delay, sends it at the end of the delay.
     * If {@code mayHandOver} is true, this method may pass the lease to the next caller of this process instead of
     * sending the release.
     */
    void release(LeaseState lease, Release release, boolean mayHandOver);
}
