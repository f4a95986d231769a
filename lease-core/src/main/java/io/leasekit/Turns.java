package io.leasekit;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Who of this process may ask the store for a lease, and what becomes of it when it is given back (6). */
sealed interface Turns permits KeyQueue, GroupTurns {

    /** An acquire begins; its turn comes by one of its start methods. */
    void enter(Acquisition acquisition);

    /** An acquire that is queued has waited for its turn as long as it would. */
    void onImpatient(Acquisition acquisition);

    /** An acquire has ended without a grant; what it may have left is being released, {@code null} if nothing. */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** An acquire that goes on saw another hold the lease, by a reply to a request sent then. */
    void onOthers(Acquisition acquisition, @Nullable LeaseItem item, long sent);

    /** The store does not do what an acquire asks; it goes on trying. */
    void onFailing(LeaseStoreException error);

    /** An acquire got the lease. */
    void onGranted(Acquisition acquisition, HeldLease lease, Grant grant);

    /** A lease was lost: what its process may still do under it is nobody's obstacle any more. */
    void onLost(HeldLease lease);

    /** A lease is being given back; {@link #onReleased} follows, maybe on another thread. */
    void onGivenBack(CompletableFuture<Void> released);

    /** A lease was given back; {@code mayHandOver}: the next local caller may have it as it is. */
    void onReleased(HeldLease lease, HandOver over, boolean mayHandOver);
}
