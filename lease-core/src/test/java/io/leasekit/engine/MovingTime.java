package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.internal.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The time of a bench, which moves while a thread waits. */
record MovingTime(Bench bench) implements EngineTime {

    private static final Duration STEP = Duration.ofMillis(1);
    private static final long LONGEST_WAIT = Duration.ofMinutes(30).toNanos();

    @Override
    public long nanos() {
        return bench.time.nanos();
    }

    @Override
    public long wallMillis() {
        return bench.time.wallMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return bench.time.schedule(delayNanos, task);
    }

    @Override
    public <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        long end = bench.time.elapsed() + LONGEST_WAIT;
        while (!future.isDone() && !Thread.currentThread().isInterrupted()) {
            assertThat(bench.time.elapsed()).as("a wait that nothing ends").isLessThan(end);
            bench.advance(STEP);
        }
        return future.get();
    }

    @Override
    public <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        long end = bench.time.elapsed() + nanos;
        while (!future.isDone() && bench.time.elapsed() < end) {
            bench.advance(STEP);
        }
        return future.get(0, TimeUnit.NANOSECONDS);
    }
}
