package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Logs firings that got no lease because the store failed, in place of Spring's default error handler, which logs a stack
 * trace for each of them.
 *
 * <p>The exception first reaches the outcome and the observation of the task. Just before the error handler would get
 * it, Leasekit logs it in its own way, and the exception ends there. Every other exception goes on. So does this one if
 * the scheduler may have an error handler of the application, or if the task fires only once.
 *
 * <p>It also knows which task each thread runs. {@code FiringTasks} uses that to find the slot of a firing. Thread-safe.
 */
@Internal
public final class FiringFailures implements SchedulingConfigurer {

    private static final ThreadLocal<@Nullable Firing> CURRENT = new ThreadLocal<>();

    private final ConfigurableBeanFactory beans;

    /** Creates the configurer. Spring calls it after those of the application, which have the same order and come first. */
    public FiringFailures(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /** A firing on its thread. */
    private static final class Firing {
        private final Runnable task;
        private @Nullable Throwable failure;
        private @Nullable Runnable line;

        Firing(Runnable task) {
            this.task = task;
        }
    }

    /** Returns whether this thread runs the task. */
    @SuppressWarnings("ReferenceEquality") // two tasks may call the same method
    static boolean isFiring(Runnable task) {
        Firing firing = CURRENT.get();
        return firing != null && firing.task == task;
    }

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        TaskScheduler scheduler = registrar.getScheduler();
        if (scheduler != null) {
            registrar.setTaskScheduler(new FiringScheduler(scheduler, new ErrorHandlers(beans, scheduler)));
        }
    }

    /**
     * Sets the line for this exception, which the firing on this thread is about to throw.
     *
     * @param line logs the exception, if no error handler does
     */
    public static void logInstead(Throwable failure, Runnable line) {
        Firing firing = CURRENT.get();
        if (firing != null) {
            firing.failure = failure;
            firing.line = line;
        }
    }

    /** Runs a task. Its failure ends here if {@link #logInstead} has a line for it and no other handler wants it. */
    @SuppressWarnings("ReferenceEquality") // another exception is not that of the store
    static void run(Runnable task, ErrorHandlers handlers) {
        Firing outer = CURRENT.get(); // of a scheduler that runs tasks on the thread that brings them
        Firing firing = new Firing(task);
        CURRENT.set(firing);
        try {
            task.run();
        } catch (RuntimeException e) {
            if (e != firing.failure || firing.line == null || !handlers.areDefaultFor(task)) {
                throw e;
            }
            firing.line.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
