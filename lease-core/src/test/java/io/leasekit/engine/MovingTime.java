package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The time of a machine, which moves while a thread waits.
 *
 * @param machine returns the machine
 * @param step how far the time moves at once
 * @param beforeWait called before a wait without a limit
 */
record MovingTime(Bench bench, Supplier<EngineTime> machine, Duration step, Runnable beforeWait) implements EngineTime {

    private static final long LONGEST_WAIT = Duration.ofMinutes(20).toNanos();

    MovingTime(Bench bench) {
        this(bench, () -> bench.time, Duration.ofMillis(1), () -> {});
    }

    @Override
    public long nanos() {
        return machine.get().nanos();
    }

    @Override
    public long wallMillis() {
        return machine.get().wallMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return machine.get().schedule(delayNanos, task);
    }

    @Override
    public <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        if (!future.isDone()) {
            beforeWait.run();
        }
        long end = bench.time.elapsed() + LONGEST_WAIT;
        while (!future.isDone() && !Thread.currentThread().isInterrupted()) {
            assertThat(bench.time.elapsed()).as("a wait that nothing ends").isLessThan(end);
            bench.advance(step);
        }
        return future.get();
    }

    @Override
    public <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        long end = bench.time.elapsed() + nanos;
        while (!future.isDone() && bench.time.elapsed() < end) {
            bench.advance(step);
        }
        return future.get(0, TimeUnit.NANOSECONDS);
    }
}
