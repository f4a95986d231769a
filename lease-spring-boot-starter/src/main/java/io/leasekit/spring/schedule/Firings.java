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
 * Records the tasks and the firings of the application's scheduled methods. Calls of a task that bypasses Spring's
 * registrar are ordinary calls, not firings.
 *
 * <p>Leasekit logs one line for an exception of the store, because Spring's default error handler would log a stack
 * trace. Thread-safe.
 */
@Internal
public final class Firings implements SchedulingConfigurer {

    public static final String BEAN_NAME = "leaseFirings";

    private final ConfigurableBeanFactory beans;
    private final List<FiringTask> tasks = new CopyOnWriteArrayList<>();

    /** Spring calls the application's configurers first, because their beans are registered before this bean. */
    public Firings(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Returns {@code null} if the bean does not exist; creates no bean, because the application may be shutting down.
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
        tasks.removeIf(FiringTask::isCancelled);
        if (called != null) {
            tasks.add(added); // tasks without a known method are not kept, because their number is unlimited
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

    List<CronSlots> slots(Method method, Class<?> targetClass) {
        return of(method, targetClass)
                .map(FiringTask::slots)
                .filter(Objects::nonNull)
                .toList();
    }

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
