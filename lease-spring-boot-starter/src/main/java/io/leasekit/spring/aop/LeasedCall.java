package io.leasekit.spring.aop;

import io.leasekit.LeaseException;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method under a lease. The calling thread uses it. If the method returned a stage, the thread that
 * completes the stage ends the call.
 */
final class LeasedCall {

    private final LeaseHold hold;
    private final OnLost onLost;
    private final LeaseFrame frame;
    private final @Nullable InterruptOnLoss interrupt;
    private final Consumer<@Nullable Throwable> atEnd;

    private LeasedCall(LeaseHold hold, OnLost onLost, Consumer<@Nullable Throwable> atEnd) {
        this.hold = hold;
        this.atEnd = atEnd;
        this.onLost = onLost;
        this.frame = LeaseFrame.enter(hold, onLost != OnLost.NOTIFY);
        this.interrupt = onLost == OnLost.INTERRUPT ? InterruptOnLoss.begin(hold.lease()) : null;
    }

    /**
     * Begins a call. {@code atEnd} receives the failure of the work, or {@code null} on success, before the lease is
     * released.
     */
    static LeasedCall begin(LeaseHold hold, OnLost onLost, Consumer<@Nullable Throwable> atEnd) {
        return new LeasedCall(hold, onLost, atEnd);
    }

    /**
     * Ends the call with the result of the method. If the result is a stage, the call ends when the stage completes.
     */
    @Nullable
    Object returned(@Nullable Object result) {
        leaveThread();
        if (result instanceof CompletionStage<?> stage) {
            return whenComplete(stage);
        }
        endNormally();
        return result;
    }

    /** Ends the call with the exception of the method, which remains the one that the caller receives. */
    void failed(Throwable failure) {
        leaveThread();
        endWith(failure);
    }

    private CompletionStage<?> whenComplete(CompletionStage<?> stage) {
        CompletableFuture<@Nullable Object> ofCaller = new CompletableFuture<>();
        var unused = stage.whenComplete((value, failure) -> complete(ofCaller, value, failure));
        if (onLost == OnLost.NOTIFY) {
            return stage;
        }
        passCancelOn(ofCaller, stage);
        return ofCaller;
    }

    // An independent future, not a dependent stage: if the caller completes it early, for example by a timeout, the
    // call still ends properly. The caller also sees the failure itself and not a CompletionException around it.
    private void complete(
            CompletableFuture<@Nullable Object> ofCaller, @Nullable Object value, @Nullable Throwable failure) {
        if (failure != null) {
            endWith(failure);
            ofCaller.completeExceptionally(failure);
            return;
        }
        try {
            endNormally();
            ofCaller.complete(value);
        } catch (LeaseException loss) {
            ofCaller.completeExceptionally(loss);
        }
    }

    private static void passCancelOn(CompletableFuture<?> from, CompletionStage<?> to) {
        var unused = from.whenComplete((value, failure) -> {
            if (from.isCancelled() && to instanceof CompletableFuture<?> work) {
                work.cancel(true);
            }
        });
    }

    private void endNormally() {
        atEnd.accept(null);
        try {
            checkNotLost();
        } catch (LeaseException loss) {
            hold.failed(loss);
            throw loss;
        } finally {
            hold.leave();
        }
    }

    private void endWith(Throwable failure) {
        hold.failed(failure);
        atEnd.accept(failure);
        try {
            checkNotLost();
        } catch (LeaseException loss) {
            failure.addSuppressed(loss);
        } finally {
            hold.leave();
        }
    }

    private void checkNotLost() {
        if (onLost != OnLost.NOTIFY) {
            hold.lease().ensureValid();
        }
    }

    private void leaveThread() {
        frame.exit();
        if (interrupt != null) {
            interrupt.end();
        }
    }
}
