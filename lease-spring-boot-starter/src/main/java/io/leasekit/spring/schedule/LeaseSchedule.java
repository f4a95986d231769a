package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;

/**
 * The schedule of a method, read from {@link Scheduled} as Spring reads it. A value that cannot be read is left for Spring to
 * reject. Thread-safe.
 */
@Internal
public final class LeaseSchedule {

    /**
     * Names of annotations that make Spring call a method on another thread; names, because only Spring's own
     * annotation is always present.
     */
    private static final Set<String> ASYNCHRONOUS = Set.of("Async", "Asynchronous");

    private static final LeaseSchedule NONE =
            new LeaseSchedule(false, false, Firings.NONE, "", () -> false, TaskSlots.NONE, false);

    private final boolean scheduled;
    private final boolean fires;
    private final Firings firings;
    private final String scheduler;
    private final BooleanSupplier firing;
    private final TaskSlots tasks;
    private final boolean firedByTest;

    /** The firings of the annotation: those of its only trigger, or those of all of its triggers. */
    private record Firings(
            @Nullable CronSlots slots, @Nullable Duration period, boolean fixedDelay, boolean ofSeveral) {
        private static final Firings NONE = new Firings(null, null, false, false);
    }

    private LeaseSchedule(
            boolean scheduled,
            boolean fires,
            Firings firings,
            String scheduler,
            BooleanSupplier firing,
            TaskSlots tasks,
            boolean firedByTest) {
        this.tasks = tasks;
        this.firedByTest = firedByTest;
        this.scheduled = scheduled;
        this.fires = fires;
        this.firings = firings;
        this.scheduler = scheduler;
        this.firing = firing;
    }

    /** Reads the schedule of a method. {@code clocks} returns the clock of the scheduler with a name, which may be empty. */
    public static LeaseSchedule of(
            Method method, Class<?> targetClass, ConfigurableBeanFactory beanFactory, Function<String, Clock> clocks) {
        List<MergedAnnotation<Scheduled>> triggers = triggers(method);
        if (triggers.isEmpty()) {
            return NONE;
        }
        boolean asynchronous = isAsynchronous(method) || isAsynchronous(targetClass);
        // the thread of an asynchronous method does not show the caller, so each call counts as a firing
        BooleanSupplier firing = asynchronous ? () -> true : FiringStack.of(method, targetClass)::isFiring;
        TaskSlots tasks = TaskSlots.of(method, targetClass, beanFactory, clocks);
        List<LeaseSchedule> read = triggers.stream()
                .map(trigger -> new Reader(trigger, new EmbeddedValueResolver(beanFactory), clocks).read(firing, tasks))
                .toList();
        return read.size() == 1 ? read.get(0) : ofSeveral(read, firing, tasks);
    }

    private static LeaseSchedule ofSeveral(List<LeaseSchedule> triggers, BooleanSupplier firing, TaskSlots tasks) {
        List<LeaseSchedule> all = triggers.stream().filter(LeaseSchedule::fires).toList();
        if (all.size() == 1) {
            return all.get(0); // the others are switched off
        }
        List<CronSlots> slots = all.stream()
                .map(trigger -> trigger.firings.slots())
                .filter(Objects::nonNull)
                .toList();
        boolean known = !slots.isEmpty() && slots.size() == all.size();
        Firings firings = new Firings(known ? CronSlots.ofAll(slots) : null, null, false, true);
        List<String> schedulers =
                all.stream().map(trigger -> trigger.scheduler).distinct().toList();
        String scheduler = schedulers.size() == 1 ? schedulers.get(0) : "";
        return new LeaseSchedule(true, !all.isEmpty(), firings, scheduler, firing, tasks, false);
    }

    /**
     * Returns this schedule for a test that fires the method itself: because no task fires it, the annotation's slots
     * count.
     */
    public LeaseSchedule firedByTest() {
        return new LeaseSchedule(scheduled, fires, firings, scheduler, firing, tasks, true);
    }

    private static boolean isAsynchronous(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(annotation -> annotation.getType().getSimpleName())
                .anyMatch(ASYNCHRONOUS::contains);
    }

    /** Returns the triggers of the method itself, because Spring ignores the triggers of a method that it overrides. */
    private static List<MergedAnnotation<Scheduled>> triggers(Method method) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class, Schedules.class).stream()
                .map(MergedAnnotation::from)
                .toList();
    }

    /** Returns whether a method is scheduled. */
    public static boolean isScheduled(Method method) {
        return !triggers(method).isEmpty();
    }

    /** Returns whether one of the method's triggers fires once, after the start of the application. */
    public static boolean firesOnceAfterStart(Method method) {
        return triggers(method).stream()
                .anyMatch(trigger -> Stream.of("cron", "fixedDelayString", "fixedRateString")
                                .allMatch(attribute ->
                                        trigger.getString(attribute).isEmpty())
                        && trigger.getLong("fixedDelay") < 0
                        && trigger.getLong("fixedRate") < 0);
    }

    /** Returns whether the method is scheduled. */
    public boolean isScheduled() {
        return scheduled;
    }

    /** Returns whether the annotation fires the method repeatedly: not if its triggers are switched off, or fire once. */
    public boolean fires() {
        return fires;
    }

    /**
     * Returns whether the annotation is a single trigger whose firings belong to slots: a cron expression whose times are
     * far enough apart. Spring's task may have another trigger.
     */
    public boolean hasSlots() {
        return firings.slots() != null && !firings.ofSeveral();
    }

    /** Returns whether several triggers fire the method repeatedly. */
    public boolean isSeveral() {
        return firings.ofSeveral();
    }

    /** Returns whether several triggers fire the method repeatedly, and each has slots of its own. */
    public boolean isSeveralWithSlots() {
        return firings.slots() != null && firings.ofSeveral();
    }

    /**
     * Returns the slots of the task that fires the method of this object now; {@code null} if its firings have none, or if
     * no task is known.
     */
    public @Nullable FiringSlots slotsOfFiring(@Nullable Object target) {
        if (firedByTest) {
            return slotsOfAnnotation();
        }
        return target == null ? null : tasks.ofFiring(target);
    }

    /** Returns the slots of all tasks that fire the method of this object; {@code null} if none has slots. */
    public @Nullable FiringSlots slotsOfTasks(@Nullable Object target) {
        if (firedByTest) {
            return slotsOfAnnotation();
        }
        return target == null ? null : tasks.ofAll(target);
    }

    private @Nullable FiringSlots slotsOfAnnotation() {
        CronSlots slots = firings.slots();
        return slots == null ? null : new FiringSlots(List.of(slots));
    }

    /** Returns whether this is the first sign that another node has another expression for this key. */
    public boolean isFirstDisagreement(String key) {
        return tasks.isFirstDisagreement(key);
    }

    /** Returns whether this is the first firing in a row that is skipped because of this later run of the key. */
    public boolean isFirstSkip(String key, String laterRun) {
        return tasks.isFirstSkip(key, laterRun);
    }

    /**
     * Returns a problem of the tasks by which Spring fires the method; {@code null} if each of them has slots, or the tasks are
     * not known.
     */
    public @Nullable String problemOfTasks() {
        return firedByTest ? null : tasks.problem();
    }

    /** Returns the slot of the annotation's expressions nearest to this time; {@code null} if there is none. */
    public @Nullable Instant slotNearest(Instant time) {
        CronSlots slots = firings.slots();
        return slots == null ? null : slots.nearest(time);
    }

    /** Returns the shortest time between two firings; {@code null} if it is unknown or there are several such triggers. */
    public @Nullable Duration period() {
        return firings.period();
    }

    /** Returns whether the period counts from the end of the previous firing. */
    public boolean isFixedDelay() {
        return firings.fixedDelay();
    }

    /** Returns the name of the scheduler; empty if the annotation names none, or if several name different ones. */
    public String scheduler() {
        return scheduler;
    }

    /** Returns whether this call counts as a firing. Each call of an asynchronous method does: its thread does not show the caller. */
    public boolean isFiring() {
        return firing.getAsBoolean();
    }

    private record Reader(
            MergedAnnotation<Scheduled> trigger, EmbeddedValueResolver values, Function<String, Clock> clocks) {

        LeaseSchedule read(BooleanSupplier firing, TaskSlots tasks) {
            String scheduler = text("scheduler");
            String cron = text("cron");
            if (CronExpression.isValidExpression(cron)) {
                Firings firings = firings(CronExpression.parse(cron), clocks.apply(scheduler));
                return new LeaseSchedule(true, true, firings, scheduler, firing, tasks, false);
            }
            Duration delay = duration("fixedDelay");
            Duration period = delay == null ? duration("fixedRate") : delay;
            Firings firings = new Firings(null, period, delay != null, false);
            return new LeaseSchedule(true, period != null, firings, scheduler, firing, tasks, false);
        }

        private Firings firings(CronExpression cron, Clock clock) {
            CronSlots slots = new CronSlots(cron, zone(text("zone"), clock));
            Duration period = slots.shortestDistance(clock.instant());
            boolean apart = TaskSlots.isFarEnoughApart(period);
            return new Firings(apart ? slots : null, period, false, false);
        }

        /** Without a zone, Spring reads the expression in that of the scheduler's clock. */
        private static ZoneId zone(String name, Clock clock) {
            return name.isEmpty()
                    ? clock.getZone()
                    : StringUtils.parseTimeZoneString(name).toZoneId();
        }

        private @Nullable Duration duration(String attribute) {
            long value = trigger.getLong(attribute);
            TimeUnit unit = trigger.getEnum("timeUnit", TimeUnit.class);
            if (value >= 0) {
                return Duration.of(value, unit.toChronoUnit());
            }
            String text = text(attribute + "String");
            try {
                return text.isEmpty() ? null : DurationStyle.detect(text).parse(text, unit.toChronoUnit());
            } catch (IllegalArgumentException e) {
                return null;
            }
        }

        private String text(String attribute) {
            try {
                String value = values.resolveStringValue(trigger.getString(attribute));
                return value == null ? "" : value.strip();
            } catch (RuntimeException e) {
                return "";
            }
        }
    }
}
