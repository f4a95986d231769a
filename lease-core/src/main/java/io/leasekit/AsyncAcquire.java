package io.leasekit;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What a caller of {@code acquireAsync} gets, completed on the callback executor; a cancel gives the acquire up. One object, and
 * not a future with stages on both sides: thousands of them may wait. Thread-safe.
 */
final class AsyncAcquire extends CompletableFuture<Optional<Lease>> implements Consumer<AcquireResult> {

    private final Events events;
    private final Acquisition acquisition;

    AsyncAcquire(Events events, Acquisition acquisition) {
        this.events = events;
        this.acquisition = acquisition;
    }

    @Override
    public void accept(AcquireResult result) {
        events.runOnCallbacks(() -> {
            if (result instanceof AcquireResult.Failed failed) {
                super.completeExceptionally(failed.error());
            } else {
                complete(result.lease());
            }
        });
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean first = super.cancel(mayInterruptIfRunning);
        if (first) {
            acquisition.cancel();
        }
        return first;
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        boolean first = super.completeExceptionally(error);
        if (first && error instanceof CancellationException) {
            acquisition.cancel();
        }
        return first;
    }
}
