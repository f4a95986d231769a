package io.leasekit.spring;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call of a method under a lease, from the acquire to the release. Used by the calling thread. */
final class LeasedCall {

    private final Lease lease;
    private final OnLost onLost;
    private final Consumer<Lease> release;
    private final @Nullable InterruptOnLoss interrupt;

    LeasedCall(Lease lease, OnLost onLost, Consumer<Lease> release) {
        this.lease = lease;
        this.onLost = onLost;
        this.release = release;
        this.interrupt = onLost == OnLost.INTERRUPT ? InterruptOnLoss.begin(lease) : null;
    }

    /** Ends the call with what the method returned. A stage belongs to the method: its end is the call's. */
    @Nullable
    Object returned(@Nullable Object result) {
        endInterrupt();
        if (result instanceof CompletionStage<?> stage) {
            var unused = stage.whenComplete((value, failure) -> release.accept(lease));
            return result;
        }
        try {
            checkNotLost();
        } finally {
            release.accept(lease);
        }
        return result;
    }

    /** Ends the call with what the method threw, which stays what the caller gets. */
    void failed(Throwable failure) {
        endInterrupt();
        try {
            checkNotLost();
        } catch (LeaseException loss) {
            failure.addSuppressed(loss);
        } finally {
            release.accept(lease);
        }
    }

    private void checkNotLost() {
        if (onLost != OnLost.NOTIFY) {
            lease.ensureValid();
        }
    }

    private void endInterrupt() {
        if (interrupt != null) {
            interrupt.end();
        }
    }
}
