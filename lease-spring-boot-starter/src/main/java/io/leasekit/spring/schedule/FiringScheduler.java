package io.leasekit.spring.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/**
 * Passes tasks on to the scheduler of an application's scheduled methods, and runs repeated ones within
 * {@link FiringFailures}. Thread-safe.
 */
final class FiringScheduler implements TaskScheduler {

    private final TaskScheduler scheduler;
    private final ErrorHandlers handlers;

    FiringScheduler(TaskScheduler scheduler, ErrorHandlers handlers) {
        this.scheduler = scheduler;
        this.handlers = handlers;
    }

    /** A task that its scheduler sees as the one inside. */
    private record Within(Runnable task, ErrorHandlers handlers) implements SchedulingAwareRunnable {

        @Override
        public void run() {
            FiringFailures.run(task, handlers);
        }

        @Override
        public boolean isLongLived() {
            return task instanceof SchedulingAwareRunnable aware && aware.isLongLived();
        }

        @Override
        public @Nullable String getQualifier() {
            return task instanceof SchedulingAwareRunnable aware ? aware.getQualifier() : null;
        }

        @Override
        public String toString() {
            return task.toString();
        }
    }

    private Runnable within(Runnable task) {
        return new Within(task, handlers);
    }

    @Override
    public Clock getClock() {
        return scheduler.getClock();
    }

    @Override
    public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        return scheduler.schedule(within(task), trigger);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
        return scheduler.schedule(task, startTime);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
        return scheduler.scheduleAtFixedRate(within(task), startTime, period);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        return scheduler.scheduleAtFixedRate(within(task), period);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
        return scheduler.scheduleWithFixedDelay(within(task), startTime, delay);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        return scheduler.scheduleWithFixedDelay(within(task), delay);
    }

    /** Returns the text of the scheduler behind it. */
    @Override
    public String toString() {
        return scheduler.toString();
    }
}
