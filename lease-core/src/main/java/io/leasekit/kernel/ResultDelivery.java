package io.leasekit.kernel;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.AcquireRefusal;
import io.leasekit.internal.EngineLease;
import io.leasekit.internal.Internal;
import io.leasekit.requests.Requests;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of the engine to callers: wakes blocked threads, and completes futures on an executor.
 * Thread-safe.
 */
@Internal
public final class ResultDelivery {

    private static final int START_PART = 3;

    private final Executor grants;
    private final Losses losses;
    private final EngineTime time;
    private final long storeTimeout;

    /** {@code grants}: completes the returned stages, and the futures of callers that have specified no executor. */
    public ResultDelivery(Executor grants, Losses losses, EngineTime time, long storeTimeout) {
        this.grants = grants;
        this.losses = losses;
        this.time = time;
        this.storeTimeout = storeTimeout;
    }

    public <T> T await(CompletableFuture<T> future, String what) {
        try {
            return time.await(future);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseInterruptedException("Interrupted while waiting for " + what, e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LeaseException known
                    ? known
                    : new LeaseException("Waiting for " + what + " failed", e.getCause());
        }
    }

    /** After {@code nanos}, fails the future; requests that were sent for the future continue in the background. */
    public <T> T await(CompletableFuture<T> future, long nanos, String what) {
        awaitBriefly(future, nanos);
        if (!future.isDone()) {
            future.completeExceptionally(
                    Thread.currentThread().isInterrupted()
                            ? new LeaseInterruptedException(
                                    "Interrupted while waiting for " + what, new InterruptedException())
                            : new LeaseStoreException(
                                    "Store did not confirm " + what + " within " + Text.exact(Duration.ofNanos(nanos)),
                                    null));
        }
        return await(future, what);
    }

    public <T> T awaitStore(CompletableFuture<T> future, String what) {
        // The timeout of a request begins only when a thread starts the request.
        return await(future, storeTimeout + Requests.TIMEOUT, what);
    }

    /** Throws no exception after a timeout, a failure of the future or an interrupt. */
    public void awaitBriefly(CompletableFuture<?> future, long nanos) {
        try {
            time.await(future, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The caller checks the future.
        }
    }

    /** If the executor for grants rejects the task, a thread of {@link Losses} completes the stage. */
    public <T> CompletionStage<T> stage(CompletableFuture<T> future) {
        if (future.isDone()) {
            return future.minimalCompletionStage();
        }
        return completedOn(future, task -> {
                    if (!start(grants, task)) {
                        losses.run(task);
                    }
                })
                .minimalCompletionStage();
    }

    /** Returns a copy, because libraries such as Reactor cancel futures for which they no longer wait. */
    public <T> CompletableFuture<T> ofLosses(CompletableFuture<T> future) {
        return future.isDone() ? future.copy() : completedOn(future, losses::run);
    }

    private static <T> CompletableFuture<T> completedOn(CompletableFuture<T> future, Executor executor) {
        CompletableFuture<T> outer = new CompletableFuture<>();
        future.whenComplete((value, error) -> executor.execute(() -> {
            if (error == null) {
                outer.complete(value);
            } else {
                outer.completeExceptionally(error);
            }
        }));
        return outer;
    }

    private static boolean start(Executor executor, Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (Throwable e) {
            return false;
        }
    }

    public CompletableFuture<Optional<Lease>> future(AcquireCall acquisition, @Nullable Executor executor) {
        AcquireFuture future = new AcquireFuture(acquisition, executor == null ? grants : executor);
        acquisition.whenEnded(future);
        return future;
    }

    /**
     * The future of an acquire, for its caller. If the caller cancels or completes the future, the acquire is
     * cancelled, so that no lease stays without a holder. The future receives the result without further stages, to
     * save memory.
     *
     * <p>If the executor rejects the task that completes the future, or starts the task too late, the lease is
     * released.
     */
    private final class AcquireFuture extends CompletableFuture<Optional<Lease>>
            implements Consumer<AcquireCall.Result>, AcquireRefusal, AcquireObstacle {

        private static final AtomicIntegerFieldUpdater<AcquireFuture> STARTED =
                AtomicIntegerFieldUpdater.newUpdater(AcquireFuture.class, "started");

        private final AcquireCall acquisition;
        private final Executor executor;
        private volatile int started;
        // The timer that takes the lease back if the executor does not start the task in time.
        private volatile EngineTime.@Nullable Timer patience;

        AcquireFuture(AcquireCall acquisition, Executor executor) {
            this.acquisition = acquisition;
            this.executor = executor;
        }

        @Override
        public @Nullable RuntimeException refusal() {
            AcquireCall.Result result = acquisition.result().getNow(null);
            try {
                if (result != null) {
                    var unused = result.orThrow(acquisition.spec);
                }
                return null;
            } catch (LeaseException refusal) {
                return refusal;
            }
        }

        @Override
        public AcquireObstacle.Seen seen() {
            return acquisition.seen();
        }

        @Override
        public void accept(AcquireCall.Result result) {
            boolean accepted = ResultDelivery.start(executor, () -> {
                if (start()) {
                    pass(result);
                }
            });
            if (!accepted) {
                takeBack(result, "the executor rejected it");
            } else if (started == 0 && result instanceof AcquireCall.Granted) {
                patience = time.schedule(
                        acquisition.spec.ttl() / START_PART,
                        () -> takeBack(result, "no thread of the executor was free in time"));
                if (started != 0) {
                    // The executor started the task before the timer was set, so nothing cancelled the timer.
                    cancelPatience();
                }
            }
        }

        /** Returns true only for the first caller, which may complete the future. */
        private boolean start() {
            boolean first = STARTED.compareAndSet(this, 0, 1);
            cancelPatience();
            return first;
        }

        /** The timer would keep the lease in memory after its release. */
        private void cancelPatience() {
            EngineTime.Timer timer = patience;
            if (timer != null) {
                timer.cancel();
                patience = null;
            }
        }

        private void pass(AcquireCall.Result result) {
            if (result instanceof AcquireCall.Failed failed) {
                super.completeExceptionally(failed.error());
            } else if (!super.complete(result.lease()) && result instanceof AcquireCall.Granted granted) {
                releaseUnused(granted);
            }
        }

        private static void releaseUnused(AcquireCall.Granted granted) {
            if (granted.held() instanceof EngineLease known) {
                known.noteUnused();
            }
            granted.held().releaseAsync();
        }

        private void takeBack(AcquireCall.Result result, String why) {
            if (!start()) {
                return;
            }
            if (result instanceof AcquireCall.Granted granted) {
                releaseUnused(granted);
                LeaseException error = new LeaseException(
                        "Lease " + acquisition.spec.name() + " was granted and released again unused: " + why, null);
                losses.run(() -> super.completeExceptionally(error));
            } else {
                losses.run(() -> pass(result));
            }
        }

        @Override
        public boolean complete(Optional<Lease> value) {
            return givenUp(super.complete(value));
        }

        @Override
        public boolean completeExceptionally(Throwable error) {
            return givenUp(super.completeExceptionally(error));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return givenUp(super.cancel(mayInterruptIfRunning));
        }

        private boolean givenUp(boolean first) {
            if (first) {
                acquisition.cancel();
            }
            return first;
        }
    }
}
