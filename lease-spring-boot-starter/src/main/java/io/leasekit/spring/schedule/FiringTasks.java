package io.leasekit.spring.schedule;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.Task;
import org.springframework.scheduling.config.TaskExecutionOutcome;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;

/**
 * The tasks by which Spring fires scheduled methods. They are looked up at each firing, because a refresh of a bean's
 * scope or a {@code SchedulingConfigurer} may replace them at any time. Thread-safe.
 */
final class FiringTasks {

    private static final Comparator<Instant> NULLS_FIRST = Comparator.nullsFirst(Comparator.naturalOrder());

    /** Spring wraps the code of each task without showing it. */
    static final String WRAPPER = Task.class.getName() + "$OutcomeTrackingRunnable";

    /** The field of the wrapper that has the code. */
    static final String WRAPPED = "runnable";

    /** The field of a scheduled task that shows whether it was cancelled. */
    static final String FUTURE = "future";

    private final Supplier<Stream<ScheduledTaskHolder>> holders;

    FiringTasks(Supplier<Stream<ScheduledTaskHolder>> holders) {
        this.holders = holders;
    }

    /** Returns whether scheduling is switched on in this application. */
    boolean isKnown() {
        return holders.get().findAny().isPresent();
    }

    /** Returns all tasks of a method, of all beans of its class. */
    List<Task> of(String method, Class<?> targetClass) {
        return tasks().filter(task -> isOf(task, method, targetClass)).toList();
    }

    /** Returns the tasks of the method of this object, or, if none is known to be, those whose object is unknown. */
    List<Task> of(Object target, String method, Class<?> targetClass) {
        List<Task> candidates = of(method, targetClass);
        Object called = target(target);
        List<Task> own = candidates.stream()
                .filter(task -> called != null && object(task) == called)
                .toList();
        return own.isEmpty()
                ? candidates.stream().filter(task -> object(task) == null).toList()
                : own;
    }

    /**
     * Returns the tasks that may have fired the method of this object. If there are several, the one that this thread runs.
     * If the thread is another one, or the application's scheduler does not tell, only those that run now; if none does,
     * those that were started last.
     */
    List<Task> firing(Object target, String method, Class<?> targetClass) {
        return running(of(target, method, targetClass));
    }

    private Stream<Task> tasks() {
        return holders.get()
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .filter(FiringTasks::mayFire)
                .map(ScheduledTask::getTask)
                .distinct();
    }

    /** Spring also lists tasks that were cancelled, or that a {@code SchedulingConfigurer} has replaced by others. */
    private static boolean mayFire(ScheduledTask task) {
        SpringField future = Futures.FIELD;
        return !future.isReadable() || (future.valueIn(task) instanceof Future<?> known && !known.isCancelled());
    }

    private static List<Task> running(List<Task> tasks) {
        if (tasks.size() < 2) {
            return tasks;
        }
        List<Task> here = tasks.stream()
                .filter(task -> FiringFailures.isFiring(task.getRunnable()))
                .toList();
        if (!here.isEmpty()) {
            return here;
        }
        List<Task> running = tasks.stream()
                .filter(task -> task.getLastExecutionOutcome().status() == TaskExecutionOutcome.Status.STARTED)
                .toList();
        return running.isEmpty() ? startedLast(tasks) : running;
    }

    private static List<Task> startedLast(List<Task> tasks) {
        Instant last = tasks.stream()
                .map(task -> task.getLastExecutionOutcome().executionTime())
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
        return tasks.stream()
                .filter(task ->
                        NULLS_FIRST.compare(task.getLastExecutionOutcome().executionTime(), last) == 0)
                .toList();
    }

    private static boolean isOf(Task task, String method, Class<?> targetClass) {
        String text = task.toString(); // Spring's tasks of methods show the class and the method
        int dot = text.lastIndexOf('.');
        return dot > 0
                && text.substring(dot + 1).equals(method)
                && isClassOf(text.substring(0, dot), method, targetClass);
    }

    private static boolean isClassOf(String name, String method, Class<?> targetClass) {
        try {
            Class<?> type = ClassUtils.getUserClass(ClassUtils.forName(name, targetClass.getClassLoader()));
            return Proxy.isProxyClass(type) ? isProxyOf(type, method, targetClass) : type.isAssignableFrom(targetClass);
        } catch (ClassNotFoundException | LinkageError e) {
            return false; // a task with another text
        }
    }

    private static boolean isProxyOf(Class<?> proxy, String method, Class<?> targetClass) {
        return Stream.of(proxy.getInterfaces())
                .anyMatch(type ->
                        type.isAssignableFrom(targetClass) && ClassUtils.hasAtLeastOneMethodWithName(type, method));
    }

    /** Returns the object behind all proxies whose method the task calls; {@code null} if it is unknown. */
    private static @Nullable Object object(Task task) {
        Runnable runnable = unwrapped(task.getRunnable());
        return runnable instanceof ScheduledMethodRunnable call ? target(call.getTarget()) : null;
    }

    /** Without access to the field, the object of a task is unknown, and only the class is compared. */
    private static Runnable unwrapped(Runnable runnable) {
        Runnable current = runnable; // a task made of another task's code is wrapped twice
        while (current.getClass().getName().equals(WRAPPER)
                && Wrapped.FIELD.valueIn(current) instanceof Runnable wrapped) {
            current = wrapped;
        }
        return current;
    }

    /** Initialized with the first task, so a missing field is logged only where it matters. */
    private static final class Futures {
        private static final SpringField FIELD = SpringField.find(
                ScheduledTask.class, FUTURE, "tasks that were cancelled or replaced count as tasks that fire");
    }

    /** Initialized with the first wrapped task. */
    private static final class Wrapped {
        private static final SpringField FIELD = SpringField.find(
                ClassUtils.resolveClassName(WRAPPER, Task.class.getClassLoader()),
                WRAPPED,
                "beans of one class that are scheduled differently are not told apart");
    }

    /** Returns the object behind all proxies; {@code null} if it is not known or may be another one for each call. */
    static @Nullable Object target(@Nullable Object bean) {
        Object target = bean;
        while (target instanceof Advised proxy) {
            TargetSource source = proxy.getTargetSource();
            if (!source.isStatic()) {
                return null;
            }
            try {
                target = source.getTarget();
            } catch (Exception e) {
                return null;
            }
        }
        return isOpaque(target) ? null : target;
    }

    /** A proxy that does not show its target. */
    private static boolean isOpaque(@Nullable Object target) {
        return target != null
                && (Proxy.isProxyClass(target.getClass())
                        || target.getClass().getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR));
    }
}
