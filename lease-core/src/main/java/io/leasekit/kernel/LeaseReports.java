package io.leasekit.kernel;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.internal.Internal;
import io.leasekit.requests.MeasuredStore;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of the acquires and leases of one manager, for the log, listeners and monitors. No method throws
 * an exception or changes what the kernel does. Thread-safe.
 */
@Internal
public interface LeaseReports extends MeasuredStore.Meter {

    void acquired(LeaseSpec spec, long token);

    void unavailable(LeaseSpec spec, AcquireCall.Unavailable refusal);

    void alreadyRan(LeaseSpec spec, String run, LeaseInfo shown);

    /** Returns whether {@link #acquireEnded} has any effect. */
    boolean isMeasured();

    void acquireEnded(LeaseSpec spec, AcquireCall.Result result, long tookNanos, long waitedNanos);

    /**
     * {@code items}: the overwritten items of the previous owner's lease; at least one item. {@code application}: the
     * application of the previous owner; {@code null}: unknown.
     */
    void tookOver(LeaseSpec spec, List<LeaseItem> items, @Nullable String application, long token);

    void renewalEnded(LeaseSpec spec, Requests.Reply reply, long lagNanos, long remainingNanos);

    void atRisk(LeaseSpec spec, long token, Duration left, @Nullable Throwable failure);

    /** Called once for a lease that has been held for more than a day. */
    void longHeld(LeaseSpec spec, long token, Duration heldFor);

    /**
     * Completes {@code lost} on a thread that no other callback uses. {@code how}: a description of the loss, which
     * ends the log line.
     */
    void lost(
            LeaseSpec spec,
            long token,
            LeaseLossReason reason,
            String how,
            Duration heldFor,
            CompletableFuture<LeaseLossReason> lost);

    void released(LeaseSpec spec, long token, Duration heldFor);

    void ran(LeaseSpec spec, long token, LeaseRunOutcome outcome, Duration took);
}
