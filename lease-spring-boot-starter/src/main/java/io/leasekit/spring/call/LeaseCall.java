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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method that has its lease. The call ends as soon as {@link #ended}, {@link #failed} or
 * {@link #cancelled} is invoked. A call with an executor never blocks a thread. A call without an executor is a
 * blocking call: its thread waits for the confirmation of the lease and, unless the lease is released in the
 * background, for the release. So all stages that a blocking call returns are already complete. Thread-safe.
 */
final class LeaseCall {

    /** Starts a new thread for each wait, because the executors of calls and the common pool may have few threads. */
    private static final Executor WAITING = RunOnce.onOrHere(LeaseCall::startWaiting);

    private final OnLost onLost;
    private final SharedLease shared;
    private final LeaseFrame frame;
    private final @Nullable CallSpans spans;
    private final RunEnding run;
    private final @Nullable Firing firing;
    private final @Nullable Executor executor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean begun;
    private volatile boolean succeeded;
    private volatile boolean stopped; // the work has stopped on request
    private volatile Supplier<CompletionStage<Void>> stop = () -> CompletableFuture.completedStage(null);

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
     * {@code null} if the caller is not a scheduler. After a wait, the call continues on the executor, which is
     * {@code null} for a blocking call.
     */
    LeaseCall(
            OnLost onLost,
            SharedLease shared,
            LeaseFrame frame,
            @Nullable CallSpans spans,
            RunEnding run,
            @Nullable Firing firing,
            @Nullable Executor executor) {
        this.onLost = onLost;
        this.shared = shared;
        this.frame = frame;
        this.spans = spans;
        this.run = run;
        this.firing = firing;
        this.executor = executor;
    }

    /**
     * Returns the rest of a blocking call, for work that continues after the method has returned. The rest of the call
     * does not block the thread that ends the work, because the reply to a renewal may need that thread. After each
     * wait, the call continues on the executor.
     */
    LeaseCall withoutThread(Executor other) {
        LeaseCall rest = new LeaseCall(onLost, shared, frame, spans, run, firing, other);
        rest.begun = begun;
        return rest;
    }

    Lease lease() {
        return shared.lease();
    }

    LeaseFrame frame() {
        return frame;
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

    /**
     * Adds a supplier of a stage that completes when cancelled work has stopped. If there are several suppliers, each
     * is called when the stage of the previous supplier has completed. Without a supplier, cancelled work counts as
     * stopped at once. The call waits for these stages even if its caller has not cancelled the call. The reason is
     * that advice inside the lease can also cancel the work: the call then succeeds or fails while the work continues.
     * Not thread-safe: call this method before the work begins, or on the thread that begins the work.
     */
    void stopsWith(Supplier<CompletionStage<Void>> next) {
        Supplier<CompletionStage<Void>> before = stop;
        stop = () -> before.get().thenCompose(done -> next.get());
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
     * Reports that the work has succeeded. With {@link OnLost#NOTIFY}, the returned stage is already complete. With
     * other values of {@code onLost}, the stage completes when the lease is confirmed, and fails if the lease is lost.
     */
    CompletionStage<Void> succeeded() {
        if (!ended.get()) {
            succeeded = true;
            record(null, false);
        }
        return failsByLoss() ? confirmed() : CompletableFuture.completedStage(null);
    }

    /** Ends the call after {@link #succeeded}. The returned stage completes normally when the caller may continue. */
    CompletionStage<Void> ended() {
        return end(() -> stop.get().thenCompose(done -> leave()));
    }

    private void record(@Nullable Throwable failure, boolean cutOff) {
        note(failure == null ? FiringOutcome.Kind.RAN : FiringOutcome.Kind.FAILED, failure);
        Quietly.run(() -> run.accept(failure, cutOff));
    }

    /**
     * Ends the call with a failure. If the lease is lost, too, the loss is added to the failure as a suppressed
     * exception. If the failure itself is the loss of this lease, the call ends at once, because the lease no longer
     * protects the work. Work that stopped on request has not failed, and the call does not wait for the release of its
     * lease.
     */
    CompletionStage<Void> failed(Throwable failure) {
        if (!succeeded && hasStopped(failure)) {
            return end(() -> stop.get().thenRun(this::leaveStopped));
        }
        boolean lost = failure instanceof LeaseLostException && isLost(); // otherwise the loss of another lease
        return end(() -> (lost ? CompletableFuture.<Void>completedStage(null) : stop.get())
                .thenCompose(done -> leaveFailed(failure, lost)));
    }

    private void note(FiringOutcome.Kind ending, @Nullable Throwable failure) {
        if (firing != null) {
            firing.ended(ending, failure);
        }
    }

    private boolean hasStopped(Throwable failure) {
        @Nullable Throwable thrown = failure instanceof CompletionException ? failure.getCause() : failure;
        return thrown instanceof RunStoppedException && lease().stopRequested();
    }

    private void leaveStopped() {
        stopped = true;
        note(FiringOutcome.Kind.STOPPED, null);
        if (spans != null) { // otherwise the call that acquired the lease records its run
            Quietly.run(() -> lease().recordRun(LeaseRunOutcome.STOPPED));
        }
        var unused = shared.leaveAsync();
    }

    /**
     * Returns whether the call ends without an exception although the work has thrown one: the work has stopped on
     * request, and the caller is a scheduler.
     */
    boolean endsQuietly() {
        return firing != null && stopped;
    }

    /** Returns whether the lease is lost. A lease whose state is unconfirmed does not count as lost. */
    private boolean isLost() {
        return lease().lossReason().isPresent();
    }

    private CompletionStage<Void> leaveFailed(Throwable failure, boolean lost) {
        shared.failed(failure);
        if (succeeded) {
            note(FiringOutcome.Kind.FAILED, failure); // the lease was lost, or the caller has received an error
        } else {
            record(failure, false);
        }
        boolean told = !failsByLoss() || lost || succeeded;
        CompletionStage<Void> checked = told ? CompletableFuture.completedStage(null) : confirmed();
        return checked.handle((confirmed, loss) -> {
                    if (loss != null && loss != failure) {
                        failure.addSuppressed(loss);
                    }
                    return leave();
                })
                .thenCompose(left -> left);
    }

    /**
     * Ends the call because its caller has cancelled it. The call ends when its work has stopped. Unless the work had
     * already succeeded, the run of the call counts as cut off.
     */
    CompletionStage<Void> cancelled() {
        return end(() -> stop.get().thenCompose(done -> {
            if (!succeeded) {
                record(new CancellationException("The caller has cancelled the call"), true);
            }
            return leave();
        }));
    }

    /**
     * Leaves the shared lease. Other classes call this method only before the work begins. Once the work has begun, the
     * end of the call leaves the lease.
     */
    CompletionStage<Void> leave() {
        boolean isOwn = spans != null; // a call that joined is within the work of another call
        if (isOwn && !begun) {
            noteUnused(lease());
        }
        if (executor != null) {
            return shared.leaveAsync();
        }
        shared.leave();
        return CompletableFuture.completedStage(null);
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

    private CompletionStage<Void> end(Supplier<CompletionStage<Void>> ending) {
        return ended.compareAndSet(false, true) ? onExecutor(ending.get()) : CompletableFuture.completedStage(null);
    }

    /**
     * Returns a stage that completes when the lease is confirmed. If the lease is lost, the stage fails with the
     * {@code LeaseLostException} itself, which is not wrapped in another exception.
     */
    CompletionStage<Void> confirmed() {
        if (executor == null) {
            return ensured(lease());
        }
        if (lease() instanceof EngineLease known) {
            return onExecutor(known.confirmed());
        }
        boolean needsNoWait = lease().isValid() || isLost();
        return needsNoWait ? ensured(lease()) : ensuredElsewhere();
    }

    /**
     * Confirms a lease that the application has wrapped in a class of its own. Only a blocked thread can wait for the
     * confirmation of such a lease.
     */
    private CompletionStage<Void> ensuredElsewhere() {
        CompletableFuture<Void> later = new CompletableFuture<>();
        WAITING.execute(() -> ensured(lease()).whenComplete(ending(later)));
        return onExecutor(later);
    }

    private static void startWaiting(Runnable task) {
        Thread thread = new Thread(null, task, "lease-call-wait", 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        thread.start();
    }

    private static CompletableFuture<Void> ensured(Lease lease) {
        try {
            lease.ensureValid();
            return CompletableFuture.completedFuture(null);
        } catch (Throwable e) { // the caller must receive a failed future, not an exception
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Returns a stage whose dependents run on the executor, not on the thread that completes the given stage. If the
     * given stage is already complete, dependents run on the thread that adds them.
     */
    private CompletionStage<Void> onExecutor(CompletionStage<Void> stage) {
        CompletableFuture<Void> future = stage.toCompletableFuture();
        if (future.isDone() || executor == null) {
            return future;
        }
        CompletableFuture<Void> later = new CompletableFuture<>();
        var unused = future.whenCompleteAsync(ending(later), executor);
        return later;
    }

    /** Returns a receiver for the outcome of a stage. The receiver completes the future with this outcome. */
    static <T extends @Nullable Object> BiConsumer<T, @Nullable Throwable> ending(CompletableFuture<T> to) {
        return (value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failure);
            }
        };
    }
}
