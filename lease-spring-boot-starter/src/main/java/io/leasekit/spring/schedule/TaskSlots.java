package io.leasekit.spring.schedule;

import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.config.Task;
import org.springframework.scheduling.config.TriggerTask;
import org.springframework.scheduling.support.CronTrigger;

/** The slots of the tasks by which Spring fires one method. Thread-safe. */
final class TaskSlots {

    /** For a method that is not scheduled. */
    static final TaskSlots NONE =
            new TaskSlots(new FiringTasks(Stream::empty), "", Object.class, name -> Clock.systemUTC());

    /**
     * At shorter distances, the error of a node's clock and the uncertainty of DynamoDB's time could confuse two slots.
     */
    private static final Duration MIN_DISTANCE = Duration.ofSeconds(10);

    private static final int MAX_KEYS = 100;

    private final FiringTasks tasks;
    private final String method;
    private final Class<?> targetClass;
    private final Function<String, Clock> clocks;
    private final Map<String, Boolean> disagreements = new ConcurrentHashMap<>(); // by key
    private final Map<String, String> laterRuns = new ConcurrentHashMap<>(); // by key
    private volatile @Nullable Known last;

    /** The slots of a trigger, which take some time to check; {@code null} if its times are too close. */
    private record Known(
            CronTrigger trigger, Clock clock, @Nullable CronSlots slots) {}

    private TaskSlots(FiringTasks tasks, String method, Class<?> targetClass, Function<String, Clock> clocks) {
        this.tasks = tasks;
        this.method = method;
        this.targetClass = targetClass;
        this.clocks = clocks;
    }

    static TaskSlots of(
            Method method, Class<?> targetClass, ConfigurableBeanFactory beans, Function<String, Clock> clocks) {
        FiringTasks tasks = new FiringTasks(() ->
                beans instanceof ConfigurableListableBeanFactory all ? TaskHolders.existing(all) : Stream.empty());
        // Spring, too, resolves the name of a task's scheduler only when the task is scheduled
        Function<String, Clock> resolved =
                name -> clocks.apply(Objects.requireNonNullElse(beans.resolveEmbeddedValue(name), ""));
        return new TaskSlots(tasks, method.getName(), targetClass, resolved);
    }

    static boolean isFarEnoughApart(@Nullable Duration distance) {
        return distance == null || distance.compareTo(MIN_DISTANCE) >= 0;
    }

    @Nullable
    FiringSlots ofFiring(Object target) {
        List<CronSlots> slots = new ArrayList<>();
        for (Task task : tasks.firing(target, method, targetClass)) {
            CronSlots ofTask = slots(task);
            if (ofTask == null) {
                return null;
            }
            slots.add(ofTask);
        }
        return slots.isEmpty() ? null : new FiringSlots(slots);
    }

    /** Returns the slots of all tasks of this object that have some; {@code null} if none has. */
    @Nullable
    FiringSlots ofAll(Object target) {
        List<CronSlots> slots = tasks.of(target, method, targetClass).stream()
                .map(this::slots)
                .filter(Objects::nonNull)
                .toList();
        return slots.isEmpty() ? null : new FiringSlots(slots);
    }

    boolean isFirstDisagreement(String key) {
        return remember(disagreements, key, true) == null;
    }

    boolean isFirstSkip(String key, String laterRun) {
        return !laterRun.equals(remember(laterRuns, key, laterRun));
    }

    /** An expression may give a method any number of keys. Forgetting them repeats a log line at worst. */
    private static <V> @Nullable V remember(Map<String, V> byKey, String key, V value) {
        if (byKey.size() >= MAX_KEYS) {
            byKey.clear();
        }
        return byKey.put(key, value);
    }

    @Nullable
    String problem() {
        if (!tasks.isKnown()) {
            return null;
        }
        List<Task> all = tasks.of(method, targetClass);
        if (all.isEmpty()) {
            return "no task of Spring's schedulers is known to call it";
        }
        return all.stream()
                .filter(task -> slots(task) == null)
                .findFirst()
                .map(task -> "Spring's scheduler fires it by " + shown(task))
                .orElse(null);
    }

    private static String shown(Task task) {
        CronTrigger cron = cron(task);
        if (cron != null) {
            return "'" + cron.getExpression() + "', whose times are less than 10 s apart";
        }
        Object trigger = task instanceof TriggerTask triggered ? triggered.getTrigger() : task;
        return "a " + trigger.getClass().getName() + " instead of a cron expression";
    }

    @SuppressWarnings("ReferenceEquality") // equal triggers may have different zones
    private @Nullable CronSlots slots(Task task) {
        CronTrigger trigger = cron(task);
        if (trigger == null) {
            return null;
        }
        String qualifier = task.getRunnable() instanceof SchedulingAwareRunnable aware ? aware.getQualifier() : null;
        Clock clock = clocks.apply(qualifier == null ? "" : qualifier);
        Known known = last;
        if (known == null || known.trigger() != trigger || !known.clock().equals(clock)) {
            CronSlots slots = CronSlots.of(trigger, clock);
            boolean apart = isFarEnoughApart(slots.shortestDistance(clock.instant()));
            known = new Known(trigger, clock, apart ? slots : null);
            last = known;
        }
        return known.slots();
    }

    /** A subclass of an application may fire at other times. */
    private static @Nullable CronTrigger cron(Task task) {
        return task instanceof TriggerTask triggered
                        && triggered.getTrigger() instanceof CronTrigger cron
                        && cron.getClass().getName().startsWith(CronTrigger.class.getName())
                ? cron
                : null;
    }
}
