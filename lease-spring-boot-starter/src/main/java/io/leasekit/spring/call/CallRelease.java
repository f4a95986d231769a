package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.internal.EngineLease;
import io.leasekit.spring.context.SharedLease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Releases a lease when the last call under the lease has ended. Thread-safe. */
record CallRelease(CallSpans observed, boolean inBackground) implements SharedLease.Ending {

    /** Maximum time that an asynchronous call waits for the release of its lease: the timeout of one request. */
    private static final long PATIENCE_SECONDS = 2;

    @Override
    public void failed(Throwable failure) {
        observed.failed(failure);
    }

    @Override
    public void release(Lease lease) {
        observed.beginRelease();
        if (inBackground) {
            var unused =
                    ended(lease, lease instanceof EngineLease known ? known.releaseFromHere() : lease.releaseAsync());
        } else {
            lease.close();
            observed.endRelease(null);
        }
    }

    @Override
    public CompletionStage<Void> releaseAsync(Lease lease) {
        observed.beginRelease();
        CompletionStage<Void> released = ended(lease, lease.releaseAsync());
        return inBackground
                ? CompletableFuture.completedStage(null)
                : released.toCompletableFuture().copy().completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private CompletionStage<Void> ended(Lease lease, CompletionStage<Void> release) {
        return release.whenComplete((done, failure) -> {
            observed.endRelease(failure);
            if (failure != null && inBackground) {
                // No caller gets the failure of a release in the background.
                SharedLease.logFailed(lease, failure);
            }
        });
    }
}
