package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One acquire of a permit (6.6). The queue makes acquires of single slots for it, one after the other. Each is an
 * {@link Acquisition} with a tenure of its own, so a lost reply never leaves a call with two slots. All fields live in
 * the mailbox of the queue.
 */
final class PermitCall extends AcquireCall {

    private static final int REFUSALS_BEFORE_LOOK = 8;

    /** The number of permits of the key. */
    final int permits;

    /** The number of them that this manager may have. */
    final int most;

    private final UUID id;
    private final PermitQueue queue;
    private @Nullable Acquisition lastAsked; // it may have ended
    private EngineTime.@Nullable Timer timer;
    private long since;
    private int refusals;
    private int refusedSinceLook; // since the last look that answered this call
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

    /** Returns the time from which a look answers this call: older ones do not show what happened since. */
    long since() {
        return since;
    }

    /** Notes that another owner got the slot that this call asked for. */
    void onRefused(long now) {
        since = now;
        answered = false;
        refusedSinceLook++;
        refusals++;
    }

    /** Returns whether this call wants an answer now: it does not wait for others, or no longer. */
    boolean isImpatient() {
        return !hasWait() || overdue;
    }

    /**
     * Returns whether this call needs a look that is sent now rather than after a delay; {@code quick}: a refusal is no reason
     * for one, because permits move quickly.
     */
    boolean needsLook(boolean quick) {
        return isImpatient() || (refusedSinceLook > 0 && !quick);
    }

    /** Returns whether other owners got the slots that this call asked for, so often that a look is due. */
    boolean wasRefusedOften() {
        return refusedSinceLook >= REFUSALS_BEFORE_LOOK;
    }

    /** Notes that a look has answered this call, which goes on waiting. */
    void onAnswered() {
        answered = true;
        refusedSinceLook = 0;
    }

    /** Returns whether a look has answered this call since it was last refused a slot. */
    boolean isAnswered() {
        return answered;
    }

    /** Returns whether this call gives up, because others were faster more often than there are slots. */
    boolean isOutrun() {
        return isImpatient() && refusals >= permits; // the present refusal is not counted yet
    }

    /** Notes that the wait for other owners is over. */
    void onOverdue() {
        overdue = true;
    }

    /** Runs the step after this time, in place of an earlier one. */
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

    /** Ends this call. A lease that nobody takes any more is released. */
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
