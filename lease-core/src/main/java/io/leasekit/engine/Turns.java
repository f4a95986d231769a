package io.leasekit.engine;

import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.store.LeaseItem;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The order in which callers of this process ask the store for a lease, and the fate of the lease when it is released (6).
 * What an implementation does not need it does not implement.
 */
interface Turns {

    /** An acquire begins; its turn comes by one of its start methods. */
    void enter(Acquisition acquisition);

    /** An acquire that is queued has waited for its turn as long as it would. */
    default void onImpatient(Acquisition acquisition) {}

    /** An acquire that goes on saw another owner hold the lease, by a reply to a request sent then. */
    default void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    /** The store fails an acquire, which goes on trying. */
    default void onFailing(LeaseStoreException error) {}

    /** An acquire got the lease. */
    default void onGranted(LeaseState lease, Tenure.Grant grant) {}

    /** An acquire has ended without a grant; its release, {@code null} if there is nothing to release, has been sent. */
    void onEnded(Acquisition acquisition, @Nullable Release release);

    /** A lease was lost: it no longer keeps others of this process from the key. */
    default void onLost(LeaseState lease) {}

    /** A lease is being given back; {@link #onReleased} follows, maybe on another thread. */
    default void onGivenBack(CompletableFuture<Void> released) {}

    /** A lease was given back; {@code mayHandOver}: the next caller of this process may take it over instead. */
    void onReleased(LeaseState lease, Release release, boolean mayHandOver);
}
