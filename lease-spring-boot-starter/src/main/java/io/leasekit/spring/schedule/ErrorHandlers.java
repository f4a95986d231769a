package io.leasekit.spring.schedule;

import java.lang.reflect.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;
import org.springframework.util.ReflectionUtils;

/**
 * Finds out whether Spring's default error handler gets the exceptions of a scheduled task. Spring's schedulers have no
 * getter for the error handler, so this class reads a private field. Thread-safe.
 */
final class ErrorHandlers {

    private static final String HANDLER = "errorHandler";

    /** The error handler of a subclass counts as unknown, because the subclass may handle exceptions differently. */
    private static final List<Class<? extends TaskScheduler>> SCHEDULERS =
            List.of(ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class, ConcurrentTaskScheduler.class);

    private final ConfigurableBeanFactory beans;
    private final TaskScheduler scheduler;

    ErrorHandlers(ConfigurableBeanFactory beans, TaskScheduler scheduler) {
        this.beans = beans;
        this.scheduler = scheduler;
    }

    /** Lets a native image read the private field {@code errorHandler} of Spring's schedulers. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            SCHEDULERS.forEach(
                    scheduler -> hints.reflection().registerType(scheduler, type -> type.withField(HANDLER)));
        }
    }

    /** Returns false if the error handler of the task is unknown. */
    boolean areDefaultFor(Runnable task) {
        TaskScheduler target = target(task);
        if (target == null) {
            // Without a suitable bean, Spring's router creates a scheduler with the default error handler.
            return true;
        }
        Field handler =
                SCHEDULERS.contains(target.getClass()) ? ReflectionUtils.findField(target.getClass(), HANDLER) : null;
        return handler != null && handler.trySetAccessible() && ReflectionUtils.getField(handler, target) == null;
    }

    private @Nullable TaskScheduler target(Runnable task) {
        if (scheduler.getClass() != TaskSchedulerRouter.class) {
            return scheduler;
        }
        String qualifier = task instanceof SchedulingAwareRunnable aware ? aware.getQualifier() : null;
        String name = qualifier == null ? "" : beans.resolveEmbeddedValue(qualifier);
        return JobSchedulers.find(beans, name == null ? "" : name);
    }
}
