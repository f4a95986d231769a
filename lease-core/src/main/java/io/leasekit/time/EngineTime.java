package io.leasekit.time;

import io.leasekit.internal.Internal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The only source of time and timers that the engine uses. Thread-safe. */
@Internal
public interface EngineTime {

    /** The engine measures all times in nanoseconds. */
    long SECOND = 1_000_000_000L;

    long MILLI = 1_000_000L;

    /** Returns the monotonic time in nanoseconds; the monotonic clock can stop while the machine is suspended. */
    long nanos();

    /** Returns the wall clock's time in epoch milliseconds; no lease depends on the accuracy of the wall clock. */
    long wallMillis();

    /**
     * Runs the task once after the delay, and never before {@code schedule} has returned. The task must not block,
     * because other timers use the same thread.
     */
    Timer schedule(long delayNanos, Runnable task);

    /**
     * An implementation with a virtual clock makes the clock advance during the wait, so that the wait ends.
     *
     * @throws ExecutionException if the future failed, or if a virtual clock can no longer advance, because its test
     *     has ended or has waited too long
     */
    default <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        return future.get();
    }

    default <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(nanos, TimeUnit.NANOSECONDS);
    }

    default CompletableFuture<Void> completeOnTimeout(CompletableFuture<Void> future, long nanos) {
        Timer timer = schedule(nanos, () -> future.complete(null));
        future.whenComplete((done, never) -> timer.cancel());
        return future;
    }

    @Internal
    interface Timer {
        void cancel();
    }
}
