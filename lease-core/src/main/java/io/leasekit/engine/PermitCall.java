package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One call that acquires a permit (6.6). On behalf of this call, the queue tries one slot after the other, each with an
 * {@link Acquisition} that has a tenure of its own. An acquisition without a grant releases what it may have written
 * (5.5), so a lost reply never leaves a caller with two slots. All fields are used in the mailbox of the queue only.
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

    /**
     * Returns the monotonic time at which the call was made, or was last refused a slot. Only a read of the slots that
     * was sent after this time answers the call.
     */
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

    /** Returns whether this call needs an answer now, because it has no {@code waitFor} or its wait is over. */
    boolean isImpatient() {
        return !hasWait() || overdue;
    }

    /**
     * Returns whether the slots must be read for this call without delay. {@code quick}: whether permits change owners
     * so quickly that a refusal alone is no reason for a read.
     */
    boolean needsLook(boolean quick) {
        return isImpatient() || (refusedSinceLook > 0 && !quick);
    }

    /** Returns whether a read is due, because other owners so often got a slot that this call tried. */
    boolean wasRefusedOften() {
        return refusedSinceLook >= REFUSALS_BEFORE_LOOK;
    }

    /** Records that a read has shown why this call gets no permit. The call continues to wait. */
    void onAnswered() {
        answered = true;
        refusedSinceLook = 0;
    }

    /** Returns whether a read has shown why this call gets no permit since the call was last refused a slot. */
    boolean isAnswered() {
        return answered;
    }

    /**
     * Returns whether this call ends without a permit: it does not wait any longer, and other callers were faster more
     * often than there are slots.
     */
    boolean isOutrun() {
        return isImpatient() && refusals >= permits; // the current refusal is not counted yet
    }

    /** Records that the wait of this call is over. */
    void onOverdue() {
        overdue = true;
    }

    /** Runs the step after this time. Cancels an earlier step that has not run yet. */
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

    /** Ends this call with this result. If the call has already ended, releases a lease that was granted to it. */
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
