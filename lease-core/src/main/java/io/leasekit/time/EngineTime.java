package io.leasekit.time;

import io.leasekit.internal.Internal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The only source of time and timers that the engine uses. Thread-safe. */
@Internal
public interface EngineTime {

    /** A second in nanoseconds. The engine measures all times in nanoseconds. */
    long SECOND = 1_000_000_000L;

    long MILLI = 1_000_000L;

    /**
     * Returns the monotonic time, in nanoseconds since an arbitrary origin. The monotonic clock can stop while the
     * machine is suspended.
     */
    long nanos();

    /**
     * Returns the time of the local wall clock, in epoch milliseconds. The engine uses the wall clock for logs, for the
     * status and for the detection of clock jumps. No lease depends on the accuracy of the wall clock.
     */
    long wallMillis();

    /**
     * Runs the task once after the delay, and never before {@code schedule} has returned. The task must not block,
     * because other timers use the same thread.
     */
    Timer schedule(long delayNanos, Runnable task);

    /**
     * Waits on the calling thread until the future is done, and returns the future's value. An implementation with a
     * virtual clock advances the clock while it waits, because no other thread advances the clock.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if the future failed, or if a virtual clock can no longer advance, because its test
     *     has ended or has waited too long
     */
    default <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        return future.get();
    }

    /**
     * Waits as {@link #await(CompletableFuture)} does, for at most {@code nanos} nanoseconds.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if the future failed
     * @throws TimeoutException if the future is not done in time
     */
    default <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(nanos, TimeUnit.NANOSECONDS);
    }

    /** Completes the future with {@code null} if it is not done after {@code nanos} nanoseconds. Returns the future. */
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
