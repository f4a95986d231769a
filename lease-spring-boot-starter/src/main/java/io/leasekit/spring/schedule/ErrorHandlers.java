package io.leasekit.spring.schedule;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Finds out which error handler gets the errors of a task of one scheduler, or of those to which it passes its tasks. Spring's
 * schedulers do not show their handlers. Thread-safe.
 */
final class ErrorHandlers {

    /** The field of each of Spring's schedulers that has the handler of the application. */
    static final String HANDLER = "errorHandler";

    /** Spring's schedulers. A subclass may do anything with exceptions. */
    static final List<Class<? extends TaskScheduler>> SCHEDULERS =
            List.of(ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class, ConcurrentTaskScheduler.class);

    private final ConfigurableBeanFactory beans;
    private final TaskScheduler scheduler;

    ErrorHandlers(ConfigurableBeanFactory beans, TaskScheduler scheduler) {
        this.beans = beans;
        this.scheduler = scheduler;
    }

    /** Initialized with the first failure, so a missing field is logged only where it matters. */
    private static final class Handlers {
        private static final Map<Class<? extends TaskScheduler>, SpringField> FIELDS = SCHEDULERS.stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        type -> SpringField.find(
                                type,
                                HANDLER,
                                "Spring logs a stack trace for each firing without its lease while the store fails")));
    }

    /** Returns whether Spring's default handler surely gets the errors of this task. */
    boolean areDefaultFor(Runnable task) {
        TaskScheduler target = target(task);
        if (target == null) {
            return true; // the router has created a scheduler
        }
        SpringField handler = Handlers.FIELDS.get(target.getClass());
        return handler != null && handler.isReadable() && handler.valueIn(target) == null;
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
