package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One acquire of a permit (6.6). The queue creates an {@link Acquisition} for one slot after the other on behalf of
 * this call. Each acquisition has its own tenure, so a lost reply never leaves a call with two slots. All fields are
 * used in the mailbox of the queue only.
 */
final class PermitCall extends AcquireCall {

    private static final int REFUSALS_BEFORE_LOOK = 8;

    final int permits;

    /** The maximum number of permits for this manager. */
    final int most;

    private final UUID id;
    private final PermitQueue queue;
    private @Nullable Acquisition lastAsked; // may have ended
    private EngineTime.@Nullable Timer timer;
    private long since;
    private int refusals;
    private int refusedSinceLook; // since the last read that answered this call
    private boolean answered;
    private boolean overdue;

    PermitCall(LeaseRequest request, LeaseSpec spec, EngineParts parts, PermitQueue queue) {
        super(spec, parts.time, parts.notifier, null, parts.time.nanos());
        this.permits = request.permits();
        this.most = request.permitsPerNode() == 0 ? permits : request.permitsPerNode();
        this.id = parts.tenures.get();
        this.queue = queue;
        this.since = called();
    }

    @Override
    UUID id() {
        return id;
    }

    @Override
    void cancel(LeaseException why) {
        queue.leave(this, why, acquisition -> acquisition.cancel(why));
    }

    @Override
    void stop(LeaseException why) {
        queue.leave(this, why, acquisition -> acquisition.stop(why));
    }

    // ---- for the queue

    @Nullable
    Acquisition lastAsked() {
        return lastAsked;
    }

    void asks(Acquisition acquisition) {
        cancelTimer();
        lastAsked = acquisition;
    }

    /** Returns the time from which a read of the slots answers this call: older reads do not show later changes. */
    long since() {
        return since;
    }

    /** Records that another owner got the slot that this call tried. */
    void onRefused(long now) {
        since = now;
        answered = false;
        refusedSinceLook++;
        refusals++;
    }

    /** Returns whether this call wants an answer now, because it does not wait for others or has finished waiting. */
    boolean isImpatient() {
        return !hasWait() || overdue;
    }

    /**
     * Returns whether this call needs a read of the slots without delay. {@code quick}: permits change owners so
     * quickly that a refusal alone is no reason for a read.
     */
    boolean needsLook(boolean quick) {
        return isImpatient() || (refusedSinceLook > 0 && !quick);
    }

    /** Returns whether other owners got the slots that this call tried so often that a read is due. */
    boolean wasRefusedOften() {
        return refusedSinceLook >= REFUSALS_BEFORE_LOOK;
    }

    /** Records that a read has answered this call, which continues to wait. */
    void onAnswered() {
        answered = true;
        refusedSinceLook = 0;
    }

    /** Returns whether a read has answered this call since it was last refused a slot. */
    boolean isAnswered() {
        return answered;
    }

    /** Returns whether this call gives up: other callers were faster more often than there are slots. */
    boolean isOutrun() {
        return isImpatient() && refusals >= permits; // the current refusal is not counted yet
    }

    /** Records that the wait for other owners is over. */
    void onOverdue() {
        overdue = true;
    }

    /** Runs the step after this time. Replaces an earlier step. */
    void after(long nanos, Runnable step) {
        cancelTimer();
        timer = time.schedule(Math.max(0, nanos), step);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Ends this call. If the caller no longer takes a granted lease, releases it. */
    void end(Result ending) {
        cancelTimer();
        if (result().complete(ending)) {
            if (ending instanceof Unavailable unavailable) {
                notifier.unavailable(spec, unavailable);
            }
        } else if (ending instanceof Granted granted) {
            granted.held().releaseAsync();
        }
    }
}
