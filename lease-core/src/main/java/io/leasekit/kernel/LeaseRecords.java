package io.leasekit.kernel;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that features add to the items of leases, such as a run, progress or the number of permits (protocol
 * 7). The kernel adds to its writes the conditions and changes that these methods return. The kernel does not know what
 * a record means. Thread-safe.
 */
@Internal
public interface LeaseRecords {

    /** Called before an attempt to acquire. {@code shown}: the items that replies have shown to the acquire. */
    void beforeAcquire(LeaseSpec spec, Tenure tenure, List<LeaseItem> shown);

    /** Returns the conditions and changes that features add to an acquire attempt for the item with this key. */
    Edits ofAcquire(LeaseSpec spec, String key, Tenure tenure, Tenure.Attempt attempt);

    /** Called when a reply has shown the records that the item had before the acquire. */
    void saw(Tenure tenure, Records before);

    /** Returns whether this item shows that the run for which the lease is requested is done. */
    boolean isDone(LeaseSpec spec, LeaseItem item);

    /** Called when an acquire ends without a lease, because {@code item} shows that the requested run is done. */
    void onDone(LeaseSpec spec, LeaseItem item);

    /** Called when a reply has shown that another owner holds the key. {@code item}: the item in the reply. */
    void onHeldByOther(String key, LeaseItem item);

    /** Returns the records of a lease that was just granted. */
    OfLease of(LeaseState lease, Tenure tenure);

    /** Returns the records that the release writes for an acquire that was given up. */
    Ending ofGivenUp(LeaseSpec spec, Tenure tenure);

    /** Returns how long an item stays in the table after a release or a hold, in nanoseconds. */
    long retention(boolean mayHaveRecords);

    /**
     * Returns the time from which item TTL may remove an item with records. Returns {@code null} if item TTL may remove
     * the item at the end of the lease or of its hold.
     */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token);

    /** Returns the lease in the item, as users see it. {@code now}: the monotonic time. */
    LeaseInfo info(LeaseItem item, long now);

    /** Returns the application name of the owner in the item; {@code null} if it is unknown. */
    @Nullable
    String application(LeaseItem item);

    /** The records of one lease. All methods are called in the mailbox of the lease. */
    interface OfLease {

        Lease lease();

        /** Returns whether the caller gets the lease only after the first renewal, but after 2 s at the latest. */
        boolean delayWork();

        /** Returns whether a caller waits until a record is written. */
        boolean isAwaited();

        /**
         * Returns whether a further renewal is needed, because a caller waits for a record that the renewal in flight
         * does not contain. {@code inFlight}: the attempt number of the renewal in flight; 0 if there is none.
         */
        boolean needRenewal(int inFlight);

        /** Returns the conditions and changes that features add to this renewal. */
        Edits ofRenewal(Tenure.Attempt attempt);

        /** Called when a reply has shown that the attempt with this number was applied. */
        void onConfirmed(int attempt);

        /**
         * Returns the records that the release writes.
         *
         * @param outcome the outcome of the work under the lease; {@code null}: none was recorded
         * @param failure the error of the work; {@code null} if the work did not fail
         * @param wasHeld false if the lease was lost before the release
         */
        Ending ofRelease(
                @Nullable LeaseRunOutcome outcome, @Nullable Throwable failure, Duration heldFor, boolean wasHeld);

        /**
         * Ends the wait of all callers, because the lease has ended. {@code written}: whether the release has written
         * the records for which callers wait.
         */
        void endWaiting(boolean written, Supplier<? extends Throwable> error);
    }

    /** The records that one release writes. Thread-safe. */
    interface Ending {

        /** Returns whether the release writes no records. */
        boolean isNone();

        /**
         * Returns whether the release writes records that must not be lost. If true, no acquire of this process may
         * overwrite the item until the release is applied.
         */
        boolean mustBeWritten();

        /** Returns whether the release writes records for display, and so must not delete the item. */
        boolean retainsItem();

        /** Returns whether the item may have records that must outlive the lease. */
        boolean mayLeaveRecords();

        /** Returns whether the item has or gets a record that is worth keeping in the table. */
        boolean isWorthKeeping();

        /**
         * Returns the conditions and changes that the release adds for the item with this key.
         *
         * @param deletes whether the release deletes the item
         * @param unlessRecords whether DynamoDB must refuse the release if the item has records that must outlive the
         *     lease
         */
        Edits edits(String key, boolean deletes, boolean unlessRecords);

        /** Returns the name of the run that the release records as done; {@code null} if there is none. */
        @Nullable
        String run();

        /** Returns whether the release was to record the run in this item, but the item does not show the run as done. */
        boolean lacksRun(String key, @Nullable LeaseItem item);

        /** Called when DynamoDB has refused a release because this item has records that this process did not know. */
        void onFound(LeaseItem item);
    }
}
