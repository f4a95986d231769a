package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.AcquireRefusal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the engine's results to callers, either blocking or by futures that complete on the callback executor.
 * Thread-safe.
 */
final class Callers {

    private final Events events;

    Callers(Events events) {
        this.events = events;
    }

    /**
     * Waits for a step of the engine.
     *
     * @throws LeaseException if the step fails
     * @throws LeaseInterruptedException if the thread is interrupted; its interrupt flag is set again
     */
    <T> T await(CompletableFuture<T> future, String what) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseInterruptedException("Interrupted while waiting for " + what, e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LeaseException known
                    ? known
                    : new LeaseException("Waiting for " + what + " failed", e.getCause());
        }
    }

    /** Waits for at most the timeout of one request; the step then goes on in the background. */
    void awaitBriefly(CompletableFuture<Void> future) {
        awaitBriefly(future, Requests.TIMEOUT);
    }

    void awaitBriefly(CompletableFuture<Void> future, long nanos) {
        try {
            future.get(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // goes on in the background
        }
    }

    /**
     * Returns a stage whose dependents run on the callback executor, or on the caller's thread if it is already
     * complete.
     */
    <T> CompletionStage<T> stage(CompletableFuture<T> future) {
        if (future.isDone()) {
            return future.minimalCompletionStage();
        }
        CompletableFuture<T> outer = new CompletableFuture<>();
        future.thenAccept(value -> events.runOnCallbacks(() -> outer.complete(value)));
        return outer.minimalCompletionStage();
    }

    /** Returns the future of an acquire. Completing it early gives the acquire up. */
    CompletableFuture<Optional<Lease>> future(Acquisition acquisition, LeaseRequest request) {
        AcquireFuture future = new AcquireFuture(events, acquisition, request);
        acquisition.result().thenAccept(future);
        return future;
    }

    /**
     * The future of an acquire. Completing it early, by a cancel or a timeout, gives the acquire up, so no lease is
     * left without a holder. It is one object instead of a future with stages on both sides, because thousands may
     * wait.
     */
    private static final class AcquireFuture extends CompletableFuture<Optional<Lease>>
            implements Consumer<AcquireCall.Result>, AcquireRefusal {

        private final Events events;
        private final Acquisition acquisition;
        private final LeaseRequest request;

        AcquireFuture(Events events, Acquisition acquisition, LeaseRequest request) {
            this.events = events;
            this.acquisition = acquisition;
            this.request = request;
        }

        @Override
        public @Nullable RuntimeException refusal() {
            AcquireCall.Result result = acquisition.result().getNow(null);
            try {
                if (result != null) {
                    var unused = result.orThrow(request);
                }
                return null;
            } catch (LeaseException refusal) {
                return refusal;
            }
        }

        @Override
        public void accept(AcquireCall.Result result) {
            events.runOnCallbacks(() -> {
                if (result instanceof AcquireCall.Failed failed) {
                    super.completeExceptionally(failed.error());
                } else if (!super.complete(result.lease())) {
                    result.lease().ifPresent(Lease::releaseAsync);
                }
            });
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
