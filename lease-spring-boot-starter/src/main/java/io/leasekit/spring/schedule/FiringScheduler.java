package io.leasekit.spring.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/** Wraps each task of the application's scheduled methods in a {@link FiringTask}. Thread-safe. */
final class FiringScheduler implements TaskScheduler {

    private final TaskScheduler scheduler;
    private final Firings firings;
    private final ErrorHandlers handlers;

    FiringScheduler(TaskScheduler scheduler, Firings firings, ErrorHandlers handlers) {
        this.scheduler = scheduler;
        this.firings = firings;
        this.handlers = handlers;
    }

    private FiringTask firing(Runnable task, @Nullable Trigger trigger) {
        return firings.add(task, trigger, clock(), () -> handlers.areDefaultFor(task));
    }

    private Clock clock() {
        Clock clock = scheduler.getClock();
        return clock == null ? Clock.system(ZoneId.systemDefault()) : clock; // a mocked scheduler returns null
    }

    @Override
    public Clock getClock() {
        return scheduler.getClock();
    }

    @Override
    public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        FiringTask firing = firing(task, trigger).on(scheduler);
        ScheduledFuture<?> future = scheduler.schedule(firing, firing.noting(trigger));
        return future == null ? null : firing.with(future);
    }

    /** The scheduler's error handler always gets an exception of a task that fires once. */
    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
        FiringTask firing = firings.add(task, null, clock(), () -> false);
        return firing.with(scheduler.schedule(firing, startTime));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
        FiringTask firing = firing(task, null);
        return firing.with(scheduler.scheduleAtFixedRate(firing, startTime, period));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        FiringTask firing = firing(task, null);
        return firing.with(scheduler.scheduleAtFixedRate(firing, period));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
        FiringTask firing = firing(task, null);
        return firing.with(scheduler.scheduleWithFixedDelay(firing, startTime, delay));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        FiringTask firing = firing(task, null);
        return firing.with(scheduler.scheduleWithFixedDelay(firing, delay));
    }

    @Override
    public String toString() {
        return scheduler.toString();
    }
}
