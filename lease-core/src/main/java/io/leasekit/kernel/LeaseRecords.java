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
 * 7). Thread-safe.
 */
@Internal
public interface LeaseRecords {

    /** {@code shown}: the items that replies have shown to the acquire. */
    void beforeAcquire(LeaseSpec spec, Tenure tenure, List<LeaseItem> shown);

    /** Returns the conditions and changes that features add to an attempt to acquire the item {@code key}. */
    Edits ofAcquire(LeaseSpec spec, String key, Tenure tenure, Tenure.Attempt attempt);

    /** {@code before}: the records that the item had before the acquire, as a reply has shown. */
    void saw(Tenure tenure, Records before);

    /** Returns whether this item shows that the requested run is done. */
    boolean isDone(LeaseSpec spec, LeaseItem item);

    void onDone(LeaseSpec spec, LeaseItem item);

    void onHeldByOther(String key, LeaseItem item);

    OfLease of(LeaseState lease, Tenure tenure);

    /** Returns the records for the release of an acquire that was given up. */
    Ending ofGivenUp(LeaseSpec spec, Tenure tenure);

    /** Returns how long an item stays in the table after a release or a hold, in nanoseconds. */
    long retention(boolean mayHaveRecords);

    /**
     * Returns the time until which item TTL must keep the item, in epoch seconds; {@code null}: until the end of the
     * lease or hold.
     */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token);

    /** Returns the lease for display; {@code now} is the monotonic time. */
    LeaseInfo info(LeaseItem item, long now);

    @Nullable
    String application(LeaseItem item);

    /** The records of one lease. The mailbox of the lease calls all methods. */
    interface OfLease {

        Lease lease();

        /** Returns whether the caller gets the lease only after the first renewal, but after 2 s at the latest. */
        boolean delayWork();

        /** Returns whether a caller waits until a record is written. */
        boolean isAwaited();

        /**
         * Returns whether a caller waits for a record that the renewal in flight does not contain. {@code inFlight}:
         * the attempt number of the renewal in flight; 0 if there is none.
         */
        boolean needRenewal(int inFlight);

        Edits ofRenewal(Tenure.Attempt attempt);

        /** {@code attempt}: the number of an attempt that DynamoDB has applied, as a reply has shown. */
        void onConfirmed(int attempt);

        /**
         * {@code outcome} is {@code null} if no outcome was recorded. {@code wasHeld} is false if the lease was lost
         * before the release.
         */
        Ending ofRelease(
                @Nullable LeaseRunOutcome outcome, @Nullable Throwable failure, Duration heldFor, boolean wasHeld);

        /** {@code written}: whether the release has written the records for which callers wait. */
        void endWaiting(boolean written, Supplier<? extends Throwable> error);
    }

    /** The records that one release writes. Thread-safe. */
    interface Ending {

        boolean isNone();

        /** Returns whether the release writes records that must not be lost. */
        boolean mustBeWritten();

        /** Returns whether the release writes records for display, so that the release must not delete the item. */
        boolean retainsItem();

        /** Returns whether the item may have records that must outlive the lease. */
        boolean mayLeaveRecords();

        boolean isWorthKeeping();

        /**
         * {@code unlessRecords}: whether DynamoDB must refuse the release if the item has records that must outlive the
         * lease.
         */
        Edits edits(String key, boolean deletes, boolean unlessRecords);

        /** Returns the name of the run that the release records as done; {@code null} if there is none. */
        @Nullable
        String run();

        /** Returns whether this item does not show the run that the release was to record in this item. */
        boolean lacksRun(String key, @Nullable LeaseItem item);

        /** Called when DynamoDB has refused a release, because this item has records that this process did not know. */
        void onFound(LeaseItem item);
    }
}
