package io.leasekit.engine;

import io.leasekit.time.EngineTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * DynamoDB's time in a test, and the scheduler of all tasks. Tasks run in the order of their times, on one thread, when
 * the test advances the time. As an {@link EngineTime}, it is a machine with right clocks; a {@link VirtualMachine} has
 * clocks of its own.
 */
public final class VirtualTime implements EngineTime {

    public static final Instant START = Instant.ofEpochSecond(1_800_000_000L);

    private static final class Task {
        private final long due;
        private final long order;
        private Runnable action;

        Task(long due, long order, Runnable action) {
            this.due = due;
            this.order = order;
            this.action = action;
        }

        long due() {
            return due;
        }

        long order() {
            return order;
        }
    }

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
    private long elapsed;
    private long order;

    /** Advances the time. Tasks that fall due meanwhile run at their times. */
    public void advance(Duration duration) {
        long end = elapsed + duration.toNanos();
        for (Task next = tasks.peek(); next != null && next.due <= end; next = tasks.peek()) {
            tasks.remove();
            elapsed = Math.max(elapsed, next.due);
            next.action.run();
        }
        elapsed = end;
    }

    /** Advances the time to this long after the start. */
    void advanceTo(Duration sinceStart) {
        advance(sinceStart.minusNanos(elapsed));
    }

    long elapsed() {
        return elapsed;
    }

    public Instant now() {
        return START.plusNanos(elapsed);
    }

    @Override
    public long nanos() {
        return elapsed;
    }

    @Override
    public long wallMillis() {
        return now().toEpochMilli();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Task waiting = new Task(elapsed + Math.max(0, delayNanos), order++, task);
        tasks.add(waiting);
        return () -> waiting.action = () -> {}; // a removal would take long among thousands of timers
    }

    /** Returns the clock of the table, which dates its replies. */
    Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now();
            }
        };
    }
}
