package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * The firings of scheduled methods. Puts a {@link FiringScheduler} between Spring's registrar and the scheduler, and
 * records the tasks that pass through the {@code FiringScheduler}. If a task did not pass through Spring's registrar,
 * its calls are ordinary calls, not firings.
 *
 * <p>If a firing gets no lease because the store failed, the outcome and the observation of the task record the
 * exception. Leasekit logs one line for an exception of the store, because Spring's default error handler would log a
 * stack trace. If the application may have set an error handler in the scheduler, or if the task fires only once,
 * Leasekit rethrows the store's exception. Exceptions that do not come from the store are always rethrown. Thread-safe.
 */
@Internal
public final class Firings implements SchedulingConfigurer {

    public static final String BEAN_NAME = "leaseFirings";

    private final ConfigurableBeanFactory beans;
    private final List<FiringTask> tasks = new CopyOnWriteArrayList<>();

    /**
     * Creates the configurer. Spring calls the application's configurers before this one: all have the same order, and
     * the application's are registered first.
     */
    public Firings(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Returns the firings of this application; {@code null} if the bean does not exist. Creates no bean, because the
     * application may be shutting down.
     */
    static @Nullable Firings of(ConfigurableBeanFactory beans) {
        return beans.getSingleton(BEAN_NAME) instanceof Firings known ? known : null;
    }

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        TaskScheduler scheduler = registrar.getScheduler();
        if (scheduler != null) {
            registrar.setTaskScheduler(new FiringScheduler(scheduler, this, new ErrorHandlers(beans, scheduler)));
        }
    }

    FiringTask add(Runnable task, @Nullable Trigger trigger, Clock clock, BooleanSupplier isHandledByDefault) {
        CalledMethod called = CalledMethod.of(task, beans.getBeanClassLoader());
        FiringTask added = new FiringTask(task, trigger, clock, called, isHandledByDefault);
        tasks.removeIf(FiringTask::isCancelled); // for example by the refresh of a scope
        if (called != null) {
            tasks.add(added); // other tasks are not kept: there may be any number of them
        }
        return added;
    }

    Stream<FiringTask> of(Method method, Class<?> targetClass) {
        return tasks.stream().filter(task -> !task.isCancelled() && task.calls(method, targetClass));
    }

    List<Firing> last(Method method, Class<?> targetClass) {
        return of(method, targetClass)
                .flatMap(task -> task.firings().stream())
                .sorted(Comparator.comparing(Firing::begun).reversed())
                .limit(FiringTask.FIRINGS)
                .toList();
    }

    /** Returns the slots (times of the cron expression) of each task that fires the method on a bean of the class. */
    List<CronSlots> slots(Method method, Class<?> targetClass) {
        return of(method, targetClass)
                .map(FiringTask::slots)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the reason why a task that fires this method has no slots; {@code null} if all its tasks have slots. */
    @Nullable
    String problem(Method method, Class<?> targetClass) {
        List<FiringTask> all = of(method, targetClass).toList();
        if (all.isEmpty()) {
            return "no task of Spring's schedulers is known to call it";
        }
        return all.stream()
                .filter(task -> task.slots() == null)
                .findFirst()
                .map(task -> "Spring's scheduler fires it by " + task.trigger())
                .orElse(null);
    }
}
