package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.RunStoppedException;
import io.leasekit.internal.EngineLease;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.micrometer.observation.Observation;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method that has its lease: calls the method, records the outcome, and leaves the lease. A
 * blocking call uses {@link #succeeded}, {@link #failed} and {@link #leave}; all other calls end by an
 * {@link AsyncCall}. Thread-safe.
 */
final class LeaseCall {

    private final OnLost onLost;
    private final SharedLease shared;
    private final LeaseFrame frame;
    private final @Nullable CallSpans spans;
    private final RunEnding run;
    private final @Nullable Firing firing;
    private volatile boolean begun;
    private volatile boolean succeeded;
    private volatile boolean stopped; // the work has stopped on request

    /** Records how the run of a call ended, if the call has a run. */
    @FunctionalInterface
    interface RunEnding {

        /**
         * Records the outcome. {@code failure} is {@code null} on success. {@code cutOff} is true if the work was
         * stopped from outside.
         */
        void accept(@Nullable Throwable failure, boolean cutOff);
    }

    /**
     * Creates a call. {@code spans} is {@code null} for a call that joined the lease of another call. {@code firing} is
     * {@code null} if the caller is not a scheduler.
     */
    LeaseCall(
            OnLost onLost,
            SharedLease shared,
            LeaseFrame frame,
            @Nullable CallSpans spans,
            RunEnding run,
            @Nullable Firing firing) {
        this.onLost = onLost;
        this.shared = shared;
        this.frame = frame;
        this.spans = spans;
        this.run = run;
        this.firing = firing;
    }

    Lease lease() {
        return shared.lease();
    }

    LeaseFrame frame() {
        return frame;
    }

    /** Returns whether the call runs under the lease of an enclosing call. */
    boolean hasJoined() {
        return spans == null;
    }

    /** Returns the observation of the work; {@code null} for a call that joined the lease of another call. */
    @Nullable
    Observation work() {
        return spans == null ? null : spans.work();
    }

    boolean failsByLoss() {
        return onLost != OnLost.NOTIFY;
    }

    boolean endsAtLoss() {
        return onLost == OnLost.INTERRUPT;
    }

    /** Runs the receiver once if the lease is lost. The returned task removes the receiver. */
    Runnable onLoss(Runnable receiver) {
        return shared.onLoss(receiver);
    }

    /** The rest of the invocation. */
    @FunctionalInterface
    interface Body {
        @Nullable
        Object proceed() throws Throwable;
    }

    /** Calls the method on this thread, under the lease. */
    @Nullable
    Object proceed(Body method) throws Throwable {
        begun = true;
        if (firing != null) {
            firing.begins();
        }
        LeaseFrame before = LeaseFrame.replaceInnermost(frame);
        InterruptOnLoss interrupt = null;
        Observation.Scope scope = Observation.Scope.NOOP;
        try {
            if (onLost == OnLost.INTERRUPT) {
                interrupt = new InterruptOnLoss(shared);
            }
            if (spans != null) {
                scope = spans.beginWork();
            }
            return method.proceed();
        } finally {
            Quietly.run(scope::close);
            if (interrupt != null) {
                interrupt.end();
            }
            LeaseFrame.replaceInnermost(before);
        }
    }

    /**
     * Ends the work of a blocking call that has succeeded. May block until the lease is confirmed.
     *
     * @throws LeaseLostException if the lease is lost and the caller must learn of it
     */
    void succeeded() {
        noteSuccess();
        if (failsByLoss()) {
            lease().ensureValid();
        }
    }

    /**
     * Ends the work of a blocking call that has failed. If the lease is lost, too, the loss is added to the failure as a
     * suppressed exception.
     */
    void failed(Throwable failure) {
        if (hasStopped(failure)) {
            noteStop();
        } else if (noteFailure(failure, isOwnLoss(failure))) {
            try {
                lease().ensureValid();
            } catch (Throwable loss) {
                suppress(failure, loss);
            }
        }
    }

    static void suppress(Throwable failure, @Nullable Throwable loss) {
        if (loss != null && loss != failure) {
            failure.addSuppressed(loss);
        }
    }

    /** Ends a blocking call. Unless the work has stopped on request, the thread may block for the release. */
    void leave() {
        if (stopped) {
            var unused = shared.leaveAsync();
        } else {
            shared.leave();
        }
    }

    /** Ends a call without blocking. The returned stage completes normally when the caller may continue. */
    CompletionStage<Void> leaveAsync() {
        if (!begun && !hasJoined()) { // a call that joined is within the work of another call
            noteUnused(lease());
        }
        return shared.leaveAsync();
    }

    void noteSuccess() {
        succeeded = true;
        note(FiringOutcome.Kind.RAN, null);
        record(null, false);
    }

    /**
     * Records that the call has failed. The work itself may have succeeded before; in that case, the lease was lost, or
     * the caller has received an error. Returns whether the caller must also learn of a loss of the lease.
     *
     * @param lost whether the failure is the loss of this lease
     */
    boolean noteFailure(Throwable failure, boolean lost) {
        shared.failed(failure);
        note(FiringOutcome.Kind.FAILED, failure);
        if (succeeded) {
            return false;
        }
        record(failure, false);
        return failsByLoss() && !lost;
    }

    /** Records that the caller has cancelled the call. Unless the work had succeeded, its run counts as cut off. */
    void noteCancel(Throwable cancel) {
        if (!succeeded) {
            note(FiringOutcome.Kind.FAILED, cancel);
            record(cancel, true);
        }
    }

    /** Records that the work has stopped on request, so that it has not failed. */
    void noteStop() {
        stopped = true;
        note(FiringOutcome.Kind.STOPPED, null);
        if (!hasJoined()) { // otherwise the call that acquired the lease records its run
            Quietly.run(() -> lease().recordRun(LeaseRunOutcome.STOPPED));
        }
    }

    private void note(FiringOutcome.Kind ending, @Nullable Throwable failure) {
        if (firing != null) {
            firing.ended(ending, failure);
        }
    }

    private void record(@Nullable Throwable failure, boolean cutOff) {
        Quietly.run(() -> run.accept(failure, cutOff));
    }

    /** Returns whether the failure reports that the work has stopped, because the lease has asked it to stop. */
    boolean hasStopped(Throwable failure) {
        @Nullable Throwable thrown = failure instanceof CompletionException ? failure.getCause() : failure;
        return !succeeded && thrown instanceof RunStoppedException && lease().stopRequested();
    }

    /**
     * Returns whether the call ends without an exception although the work has thrown one: the work has stopped on
     * request, and the caller is a scheduler.
     */
    boolean endsQuietly() {
        return firing != null && stopped;
    }

    /** Returns whether the failure is the loss of this lease, and not of another one. */
    boolean isOwnLoss(Throwable failure) {
        return failure instanceof LeaseLostException && isLost();
    }

    /** Returns whether the lease is lost. A lease whose state is unconfirmed does not count as lost. */
    boolean isLost() {
        return lease().lossReason().isPresent();
    }

    /**
     * Releases a lease under which no work has run. The lease's {@code holdAtLeast} and {@code cooldown} do not apply.
     */
    static void releaseUnused(Lease lease) {
        noteUnused(lease);
        var unused = lease.releaseAsync();
    }

    private static void noteUnused(Lease lease) {
        if (lease instanceof EngineLease known) {
            known.noteUnused();
        }
    }
}
