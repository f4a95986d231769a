package io.leasekit.spring.aop;

import io.leasekit.internal.EngineTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Virtual time whose tasks a test runs one by one, on its own thread. */
final class SteppedTime extends Clock implements EngineTime {

    private static final Instant START = Instant.ofEpochSecond(1_800_000_000L);

    private record Task(long due, long order, Runnable action) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
    private long elapsed;
    private long order;

    /** Runs the next task; returns false if there is none until the end. */
    boolean step(Duration end) {
        Task next = tasks.peek();
        if (next == null || next.due > end.toNanos()) {
            return false;
        }
        tasks.remove();
        elapsed = Math.max(elapsed, next.due);
        next.action.run();
        return true;
    }

    /** Runs all tasks until the end. */
    void run(Duration end) {
        while (step(end)) {
            Thread.onSpinWait();
        }
    }

    Duration elapsed() {
        return Duration.ofNanos(elapsed);
    }

    /** Returns a stage that completes with a reply after two steps: the request is applied in the first. */
    <T> CompletionStage<T> inTwoSteps(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        schedule(1_000_000, () -> {
            T applied = request.get().toCompletableFuture().join();
            schedule(1_000_000, () -> reply.complete(applied));
        });
        return reply;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable action) {
        Task task = new Task(elapsed + Math.max(0, delayNanos), order++, action);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    @Override
    public long nanos() {
        return elapsed;
    }

    @Override
    public long wallMillis() {
        return instant().toEpochMilli();
    }

    @Override
    public Instant instant() {
        return START.plusNanos(elapsed);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
