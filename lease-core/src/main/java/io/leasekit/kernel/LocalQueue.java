package io.leasekit.kernel;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decides in which order the callers of this process get a lease, and when a lease is handed over (protocol 6.1). */
@Internal
public interface LocalQueue {

    /** A {@code LocalQueue} that also decides when an acquire starts. */
    interface Turns extends LocalQueue {

        /** Adds an acquire, which the queue starts when the acquire is first in the queue. */
        void enter(Acquisition acquisition);
    }

    /** Called when the time limit of a queued acquire has passed. */
    default void onImpatient(Acquisition acquisition) {}

    /**
     * {@code item} is {@code null} if the reply showed no item. {@code sent}: the monotonic time at which the acquire
     * sent the request.
     */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /**
     * Called before {@link #onEnded} if an acquire ends because a reply showed another owner. {@code sent}: the
     * monotonic time at which the acquire sent the request.
     */
    default void onRefused(@Nullable LeaseItem item, long sent) {}

    /** Called when the store fails, or when renewals of this process are late. */
    default void onFailing(LeaseStoreException error) {}

    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /**
     * {@code release}: the release of what the acquire may have written; {@code null} if there is nothing to release. A
     * second call means that the queue has started an ended acquire, and must start the next acquire.
     */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** After this call, other callers of this process may request the key. */
    default void onLost(LeaseState lease) {}

    /** Any thread may call this method, before {@link #release}. */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /**
     * If the release has a delay, sends the release at the end of the delay. If {@code mayHandOver} is true, the queue
     * may pass the lease to its next caller instead.
     */
    void release(LeaseState lease, Release release, boolean mayHandOver);
}
