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
 * The second part of a call of an annotated method, after the call has acquired or joined a lease. A blocking call ends
 * with {@link #succeeded} or {@link #failed}, followed by {@link #leave}. Thread-safe.
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
    private volatile boolean stopped;

    /** Records the outcome of a call's run; does nothing for a call without a run. */
    @FunctionalInterface
    interface RunEnding {

        /**
         * {@code failure} is {@code null} if the method succeeded; {@code cutOff} is true if the caller has cancelled
         * the method.
         */
        void accept(@Nullable Throwable failure, boolean cutOff);
    }

    /** {@code spans} is {@code null} for a call that joined the lease of another call. */
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

    boolean hasJoined() {
        return spans == null;
    }

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

    /** Registers a task that runs once if the lease is lost, and returns a task that removes the registration. */
    Runnable onLoss(Runnable receiver) {
        return shared.onLoss(receiver);
    }

    /** The rest of the advice chain, which ends with the annotated method. */
    @FunctionalInterface
    interface Body {
        @Nullable
        Object proceed() throws Throwable;
    }

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

    /** Unless {@code onLost} is {@code NOTIFY}, checks that the lease is valid, which may block. */
    void succeeded() {
        noteSuccess();
        if (failsByLoss()) {
            lease().ensureValid();
        }
    }

    /** Unless {@code onLost} is {@code NOTIFY}, adds the loss of the lease to the failure as a suppressed exception. */
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

    /** May block until the lease is released, unless the method has stopped at the request of the lease. */
    void leave() {
        if (stopped) {
            var unused = shared.leaveAsync();
        } else {
            shared.leave();
        }
    }

    /** The returned stage never fails, and completes when the caller may get its result. */
    CompletionStage<Void> leaveAsync() {
        // A joined lease is in use by the outer call that acquired the lease.
        if (!begun && !hasJoined()) {
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
     * Returns whether the caller must check the lease, to add a loss to the failure as a suppressed exception. A call
     * can fail although its method has succeeded, for example because the lease was lost.
     *
     * @param lost whether the failure itself reports the loss of this lease
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

    /** Records the run of a cancelled call as cut off, so that the run can be executed again. */
    void noteCancel(Throwable cancel) {
        if (!succeeded) {
            note(FiringOutcome.Kind.FAILED, cancel);
            record(cancel, true);
        }
    }

    /** Records that the method has ended because the lease asked it to stop, which is no failure. */
    void noteStop() {
        stopped = true;
        note(FiringOutcome.Kind.STOPPED, null);
        if (!hasJoined()) { // only the call that acquired the lease records the run
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

    /** Returns whether the method has thrown this failure because the lease asked it to stop. */
    boolean hasStopped(Throwable failure) {
        @Nullable Throwable thrown = failure instanceof CompletionException ? failure.getCause() : failure;
        return !succeeded && thrown instanceof RunStoppedException && lease().stopRequested();
    }

    /** A scheduler, as the caller, gets no exception if the lease asked the method to stop. */
    boolean endsQuietly() {
        return firing != null && stopped;
    }

    boolean isOwnLoss(Throwable failure) {
        return failure instanceof LeaseLostException && isLost();
    }

    /** A lease does not count as lost while it is unknown whether the lease is still valid. */
    boolean isLost() {
        return lease().lossReason().isPresent();
    }

    /** The {@code holdAtLeast} and {@code cooldown} of the request do not delay this release. */
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
