package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.internal.EngineLease;
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
 * A call of an annotated method that waits for its lease, its work and the release without blocking a thread. Only the
 * first call of {@link #ended}, {@link #failed} or {@link #cancelled} has an effect. Thread-safe.
 */
final class AsyncCall {

    /** Starts a new thread for each blocking task, because other executors may have few threads. */
    private static final Executor WAITING = RunOnce.onOrHere(AsyncCall::startWaiting);

    private final LeaseCall held;
    private final Executor executor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Supplier<CompletionStage<Void>> stop = () -> CompletableFuture.completedStage(null);

    /** After each wait, the call continues on {@code executor}. */
    AsyncCall(LeaseCall held, Executor executor) {
        this.held = held;
        this.executor = executor;
    }

    /** A call with its lease; if {@code call} is {@code null}, the result that the caller gets without a lease. */
    record Beginning(@Nullable AsyncCall call, @Nullable Object result) {

        /** Ends the call without calling the method, because the caller no longer wants the result. */
        void discard() {
            if (call != null) {
                var unused = call.ended();
            }
        }
    }

    /**
     * Begins a call, and completes {@code beginning} exceptionally instead of throwing.
     *
     * @param beginning Cancelling this future ends the acquire. Add dependent stages before this call; the caller's
     *     thread might run a stage that is added later.
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
        // the rest of the call runs on the executor, not on the manager's thread or the calling thread
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
     * Makes the call await the supplier's stage before the call leaves the lease. The stage completes when cancelled
     * work has stopped. Not only the caller, but also advice under the lease can cancel the work. Not thread-safe: call
     * {@code stopsWith} before the work begins, or on the thread that begins the work.
     */
    void stopsWith(Supplier<CompletionStage<Void>> next) {
        Supplier<CompletionStage<Void>> before = stop;
        stop = () -> before.get().thenCompose(done -> next.get());
    }

    /** Records the success. Unless {@code onLost} is {@code NOTIFY}, a lost lease makes the returned stage fail. */
    CompletionStage<Void> succeeded() {
        if (!ended.get()) {
            held.noteSuccess();
        }
        return held.failsByLoss() ? confirmed() : CompletableFuture.completedStage(null);
    }

    /** Ends the call; the returned stage never fails, and completes when the caller may get its result. */
    CompletionStage<Void> ended() {
        return end(() -> stop.get().thenCompose(done -> held.leaveAsync()));
    }

    /**
     * If the failure is the loss of this lease, the call does not wait for cancelled work. A lost lease protects
     * nothing. If the lease asked the work to stop, the call records no failure and does not wait for the release.
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

    /** Ends the call after a cancel by its caller, and releases the lease only after the work has stopped. */
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
     * Returns a stage that completes when the lease is confirmed as valid, or fails with an unwrapped
     * {@code LeaseLostException}.
     */
    CompletionStage<Void> confirmed() {
        Lease lease = held.lease();
        if (lease instanceof EngineLease known) {
            return onExecutor(known.confirmed());
        }
        return lease.isValid() || held.isLost() ? ensured(lease) : ensuredElsewhere(lease);
    }

    /** Checks a lease of the application's own class on a separate thread, because the check may block. */
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

    /** Returns a stage whose dependent stages run on the executor, not on the thread that completes the given stage. */
    private CompletionStage<Void> onExecutor(CompletionStage<Void> stage) {
        CompletableFuture<Void> future = stage.toCompletableFuture();
        if (future.isDone()) {
            return future;
        }
        CompletableFuture<Void> later = new CompletableFuture<>();
        var unused = future.whenCompleteAsync(ending(later), executor);
        return later;
    }

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
