package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.internal.EngineLease;
import io.leasekit.spring.OnLost;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that blocks no thread, neither for its lease, nor for the end of its work, nor for the release. The call ends
 * as soon as {@link #ended}, {@link #failed} or {@link #cancelled} is invoked. Thread-safe.
 */
final class AsyncCall {

    /** Starts a new thread for each wait, because the executors of calls and the common pool may have few threads. */
    private static final Executor WAITING = RunOnce.onOrHere(AsyncCall::startWaiting);

    private final LeaseCall held;
    private final Executor executor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Supplier<CompletionStage<Void>> stop = () -> CompletableFuture.completedStage(null);

    /** Creates the rest of a call that has its lease. After a wait, the call continues on the executor. */
    AsyncCall(LeaseCall held, Executor executor) {
        this.held = held;
        this.executor = executor;
    }

    /**
     * The beginning of a call: the call if it has a lease, or otherwise the result that the caller gets in place of the
     * method's result.
     */
    record Beginning(@Nullable AsyncCall call, @Nullable Object result) {

        /** Ends the call, because the caller no longer wants it. */
        void discard() {
            if (call != null) {
                var unused = call.ended();
            }
        }
    }

    /**
     * Begins a call. Throws nothing.
     *
     * @param executor runs the rest of the call after the acquire and after each later wait, even if the manager
     *     replies at once. If the acquire throws, the rest of the call runs on the calling thread
     * @param beginning receives the beginning of the call, or the exception for the caller. If a dependent of this
     *     future runs the method, add the dependent before this method is called; otherwise the adding thread may run
     *     the method. Cancelling the future gives up the acquire
     */
    static void begin(Supplier<CallStart> starting, Executor executor, CompletableFuture<Beginning> beginning) {
        try {
            CallStart start = starting.get();
            if (start.joined() != null) {
                join(new AsyncCall(start.joined(), executor), beginning);
            } else {
                acquire(start, executor, beginning);
            }
        } catch (Throwable e) {
            beginning.completeExceptionally(e);
        }
    }

    private static void join(AsyncCall call, CompletableFuture<Beginning> to) {
        var unused = call.confirmed().whenComplete((confirmed, failure) -> {
            if (failure != null) {
                var unusedToo = call.failed(failure);
                to.completeExceptionally(failure);
            } else if (!to.complete(new Beginning(call, null))) {
                var unusedToo = call.ended();
            }
        });
    }

    private static void acquire(CallStart start, Executor executor, CompletableFuture<Beginning> to) {
        CompletableFuture<Optional<Lease>> asked;
        try {
            asked = start.acquireAsync();
        } catch (Throwable refusal) {
            answer(start, executor, null, () -> refusal, to);
            return;
        }
        // the rest must run neither on the thread that completes the answer nor on the calling thread, if the answer
        // comes first
        var unused = asked.whenCompleteAsync(
                (answer, error) -> {
                    Lease lease = answer == null ? null : answer.orElse(null);
                    answer(start, executor, lease, () -> LeaseCalls.refusal(asked, start.request(), error), to);
                },
                executor);
        passCancelOn(to, asked);
    }

    private static void answer(
            CallStart start,
            Executor executor,
            @Nullable Lease lease,
            Supplier<Throwable> refusal,
            CompletableFuture<Beginning> to) {
        try {
            Beginning beginning;
            try {
                if (lease == null) {
                    throw refusal.get();
                }
                beginning = new Beginning(new AsyncCall(start.granted(lease), executor), null);
            } catch (Throwable e) {
                beginning = new Beginning(null, start.instead(e));
            }
            if (!to.complete(beginning)) {
                beginning.discard();
            }
        } catch (Throwable failure) {
            to.completeExceptionally(failure);
        }
    }

    static void passCancelOn(CompletableFuture<?> from, CompletionStage<?> to) {
        var unused = from.whenComplete((value, failure) -> {
            if (from.isCancelled() && to instanceof CompletableFuture<?> work) {
                work.cancel(true);
            }
        });
    }

    LeaseCall held() {
        return held;
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

    /**
     * Reports that the work has succeeded. With {@link OnLost#NOTIFY}, the returned stage is already complete. With
     * other values of {@code onLost}, the stage completes when the lease is confirmed, and fails if the lease is lost.
     */
    CompletionStage<Void> succeeded() {
        if (!ended.get()) {
            held.noteSuccess();
        }
        return held.failsByLoss() ? confirmed() : CompletableFuture.completedStage(null);
    }

    /** Ends the call after {@link #succeeded}. The returned stage completes normally when the caller may continue. */
    CompletionStage<Void> ended() {
        return end(() -> stop.get().thenCompose(done -> held.leaveAsync()));
    }

    /**
     * Ends the call with a failure. If the lease is lost, too, the loss is added to the failure as a suppressed
     * exception. If the failure itself is the loss of this lease, the call ends at once, because the lease no longer
     * protects the work. Work that stopped on request has not failed, and the call does not wait for the release of its
     * lease.
     */
    CompletionStage<Void> failed(Throwable failure) {
        if (held.hasStopped(failure)) {
            return end(() -> stop.get().thenRun(() -> {
                held.noteStop();
                var unused = held.leaveAsync();
            }));
        }
        boolean lost = held.isOwnLoss(failure);
        return end(() -> (lost ? CompletableFuture.<Void>completedStage(null) : stop.get())
                .thenCompose(done -> leaveFailed(failure, lost)));
    }

    private CompletionStage<Void> leaveFailed(Throwable failure, boolean lost) {
        if (!held.noteFailure(failure, lost)) {
            return held.leaveAsync();
        }
        return confirmed()
                .handle((confirmed, loss) -> {
                    LeaseCall.suppress(failure, loss);
                    return held.leaveAsync();
                })
                .thenCompose(left -> left);
    }

    /**
     * Ends the call because its caller has cancelled it. The call ends when its work has stopped. Unless the work had
     * already succeeded, the run of the call counts as cut off.
     */
    CompletionStage<Void> cancelled() {
        return end(() -> stop.get().thenCompose(done -> {
            held.noteCancel(new CancellationException("The caller has cancelled the call"));
            return held.leaveAsync();
        }));
    }

    private CompletionStage<Void> end(Supplier<CompletionStage<Void>> ending) {
        return ended.compareAndSet(false, true) ? onExecutor(ending.get()) : CompletableFuture.completedStage(null);
    }

    /**
     * Returns a stage that completes when the lease is confirmed. If the lease is lost, the stage fails with the
     * {@code LeaseLostException} itself, which is not wrapped in another exception.
     */
    CompletionStage<Void> confirmed() {
        Lease lease = held.lease();
        if (lease instanceof EngineLease known) {
            return onExecutor(known.confirmed());
        }
        return lease.isValid() || held.isLost() ? ensured(lease) : ensuredElsewhere(lease);
    }

    /**
     * Confirms a lease that the application has wrapped in a class of its own. Only a blocked thread can wait for the
     * confirmation of such a lease.
     */
    private CompletionStage<Void> ensuredElsewhere(Lease lease) {
        CompletableFuture<Void> later = new CompletableFuture<>();
        WAITING.execute(() -> ensured(lease).whenComplete(ending(later)));
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
        if (future.isDone()) {
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
