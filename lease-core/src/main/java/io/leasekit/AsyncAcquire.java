package io.leasekit;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What a caller of {@code acquireAsync} gets, completed on the callback executor; whoever completes it before, by a cancel or a
 * time-out, gives the acquire up, so that nobody holds a lease that nobody has. One object, and not a future with stages on both
 * sides: thousands of them may wait. Thread-safe.
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
