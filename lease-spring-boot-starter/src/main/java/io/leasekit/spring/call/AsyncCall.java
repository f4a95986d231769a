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
 * A call of an annotated method that waits for its lease, its work and the release without blocking a thread. The first
 * call of {@link #ended}, {@link #failed} or {@link #cancelled} ends the call; later calls of these methods have no
 * effect. Thread-safe.
 */
final class AsyncCall {

    /**
     * Starts a new thread for each task that blocks, because the executors of calls and the common pool may have few
     * threads.
     */
    private static final Executor WAITING = RunOnce.onOrHere(AsyncCall::startWaiting);

    private final LeaseCall held;
    private final Executor executor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Supplier<CompletionStage<Void>> stop = () -> CompletableFuture.completedStage(null);

    /** Creates a call that already has its lease. After each wait, the call continues on the executor. */
    AsyncCall(LeaseCall held, Executor executor) {
        this.held = held;
        this.executor = executor;
    }

    /**
     * The outcome of an acquire or join: the call if it has a lease, otherwise the caller's substitute for the method's
     * result.
     */
    record Beginning(@Nullable AsyncCall call, @Nullable Object result) {

        /** Ends the call without calling the method, because the caller no longer wants the result. */
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
     *     replies at once. If the acquire throws, the rest of the call runs on the thread that calls {@code begin}
     * @param beginning receives the {@link Beginning} of the call, or the exception for the caller. Before calling
     *     {@code begin}, add the dependent stage that runs the annotated method: if it is added later, the adding
     *     thread may run the method. Cancelling the future ends the acquire
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
        // the executor runs the rest of the call, so that neither the thread that completes the answer nor the calling
        // thread does
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
     * Makes the call wait for the stage of the supplier before it leaves the lease. The stage completes when cancelled
     * work has stopped. If several suppliers were added, each is called when the stage of the previous supplier has
     * completed. The call waits even if its caller has not cancelled it, because advice under the lease can cancel the
     * work. After a cancel by advice, the call can succeed or fail while the work still runs. Not thread-safe: call
     * {@code stopsWith} before the work begins, or on the thread that begins the work.
     */
    void stopsWith(Supplier<CompletionStage<Void>> next) {
        Supplier<CompletionStage<Void>> before = stop;
        stop = () -> before.get().thenCompose(done -> next.get());
    }

    /**
     * Records that the work has succeeded. With {@link OnLost#NOTIFY}, the returned stage is already complete. With
     * other values of {@code onLost}, the stage completes when the lease is confirmed as valid, or fails if the lease
     * is lost.
     */
    CompletionStage<Void> succeeded() {
        if (!ended.get()) {
            held.noteSuccess();
        }
        return held.failsByLoss() ? confirmed() : CompletableFuture.completedStage(null);
    }

    /**
     * Ends the call after {@link #succeeded}. The returned stage never fails, and completes when the caller may get its
     * result.
     */
    CompletionStage<Void> ended() {
        return end(() -> stop.get().thenCompose(done -> held.leaveAsync()));
    }

    /**
     * Ends the call with a failure. If the lease was also lost and {@code onLost} is not {@code NOTIFY}, the loss is
     * added to the failure as a suppressed exception. If the failure itself reports the loss of this lease, the call
     * does not wait until cancelled work has stopped: a lost lease protects nothing. If the work has ended because the
     * lease asked it to stop, no failure is recorded, and the release is not awaited.
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
     * Ends the call because its caller has cancelled it. The lease is released only after the work has stopped. If the
     * work has not succeeded before the cancel, its run is recorded as cut off, and can be executed again.
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
     * Returns a stage that completes when the lease is confirmed as valid. If the lease is lost, the stage fails with a
     * {@code LeaseLostException} that is not wrapped in another exception.
     */
    CompletionStage<Void> confirmed() {
        Lease lease = held.lease();
        if (lease instanceof EngineLease known) {
            return onExecutor(known.confirmed());
        }
        return lease.isValid() || held.isLost() ? ensured(lease) : ensuredElsewhere(lease);
    }

    /**
     * Checks a lease of the application's own {@code Lease} class. An application's own lease has only a blocking
     * check, so a separate thread runs it.
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
     * Returns a stage whose dependent stages run on the executor, not on the thread that completes the given stage. If
     * the given stage is already complete, a dependent stage runs on the thread that adds it.
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

    /** Returns a callback for {@code whenComplete} that completes the future {@code to} with the stage's outcome. */
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
