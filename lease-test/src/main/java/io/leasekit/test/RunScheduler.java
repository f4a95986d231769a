package io.leasekit.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/** Starts runs that this node takes over from another one, as events of virtual time. It schedules nothing else. */
final class RunScheduler implements TaskScheduler {

    private static final Logger log = LoggerFactory.getLogger(RunScheduler.class);

    private final TestLeases leases;

    RunScheduler(TestLeases leases) {
        this.leases = leases;
    }

    @Override
    public Clock getClock() {
        return leases.time().clock();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
        Event event = new Event(() -> run(task));
        leases.time().schedule(Duration.between(leases.now(), startTime).toNanos(), event);
        return event;
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.warn("Run that was taken over from another node failed", e);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        throw repeats();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
        throw repeats();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        throw repeats();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
        throw repeats();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        throw repeats();
    }

    private static UnsupportedOperationException repeats() {
        return new UnsupportedOperationException("Nothing fires by itself in a test: call TestLeases.fire");
    }

    /** A task in virtual time, as a future. */
    private static final class Event extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {

        Event(Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
