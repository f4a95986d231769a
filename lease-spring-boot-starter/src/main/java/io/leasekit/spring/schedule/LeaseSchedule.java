package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
 * The schedule of a method, read from {@link Scheduled} as Spring reads it. An unreadable value counts as absent,
 * because Spring itself rejects the value. Thread-safe.
 */
@Internal
public final class LeaseSchedule {

    /** Simple names of annotations, because {@code Asynchronous} may be absent from the class path. */
    private static final Set<String> ASYNCHRONOUS = Set.of("Async", "Asynchronous");

    private static final LeaseSchedule NONE = new LeaseSchedule(null, false, Times.NONE, "");

    private static final int MAX_KEYS = 100;

    private static final Duration MAX_DELAY = Duration.ofMinutes(1);

    /** Shorter delays are not reported, because they are common on a busy machine. */
    private static final Duration MIN_DELAY = Duration.ofSeconds(5);

    /** The minimum time between two log lines about late firings. */
    private static final Duration ONE_LINE = Duration.ofHours(1);

    private final @Nullable Scheduling scheduling; // null if the method has no @Scheduled
    private final boolean fires;
    private final Times times;
    private final String scheduler;
    // The value that was last logged, by the kind of the log line and the lease key.
    private final Map<String, String> logged = new ConcurrentHashMap<>();
    // The start of the late firing that was last logged, by the node's clock.
    private volatile @Nullable Instant lastLate;

    /** The times at which {@code @Scheduled} fires a method. */
    private record Times(
            @Nullable CronSlots slots, @Nullable Duration period, boolean fixedDelay, boolean ofSeveral) {
        private static final Times NONE = new Times(null, null, false, false);
    }

    private record Scheduling(
            Method method, Class<?> targetClass, ConfigurableBeanFactory beans, boolean asynchronous) {

        @Nullable
        Firing firing() {
            Firing here = Firing.current();
            if (here != null && here.calls(method, targetClass)) {
                return here;
            }
            return asynchronous ? firings().stream().findFirst().orElse(null) : null;
        }

        List<Firing> firings() {
            Firings firings = Firings.of(beans);
            return firings == null ? List.of() : firings.last(method, targetClass);
        }

        List<CronSlots> slots() {
            Firings firings = Firings.of(beans);
            return firings == null ? List.of() : firings.slots(method, targetClass);
        }

        List<FiringTask> tasks() {
            Firings firings = Firings.of(beans);
            return firings == null ? List.of() : firings.of(method, targetClass).toList();
        }

        @Nullable
        String problem() {
            Firings firings = Firings.of(beans);
            boolean isOn = beans instanceof ConfigurableListableBeanFactory all
                    && TaskHolders.existing(all).findAny().isPresent();
            return isOn && firings != null ? firings.problem(method, targetClass) : null;
        }
    }

    private LeaseSchedule(@Nullable Scheduling scheduling, boolean fires, Times times, String scheduler) {
        this.scheduling = scheduling;
        this.fires = fires;
        this.times = times;
        this.scheduler = scheduler;
    }

    /** {@code clocks} returns the clock of the scheduler with the given name, which may be empty. */
    public static LeaseSchedule of(
            Method method, Class<?> targetClass, ConfigurableBeanFactory beanFactory, Function<String, Clock> clocks) {
        List<MergedAnnotation<Scheduled>> triggers = triggers(method);
        if (triggers.isEmpty()) {
            return NONE;
        }
        boolean asynchronous = isAsynchronous(method) || isAsynchronous(targetClass);
        Scheduling scheduling = new Scheduling(method, targetClass, beanFactory, asynchronous);
        List<LeaseSchedule> read = triggers.stream()
                .map(trigger -> new Reader(trigger, new EmbeddedValueResolver(beanFactory), clocks).read(scheduling))
                .toList();
        return read.size() == 1 ? read.get(0) : ofSeveral(read, scheduling);
    }

    private static LeaseSchedule ofSeveral(List<LeaseSchedule> triggers, Scheduling scheduling) {
        List<LeaseSchedule> all = triggers.stream().filter(LeaseSchedule::fires).toList();
        if (all.size() == 1) {
            return all.get(0);
        }
        List<CronSlots> slots = all.stream()
                .map(trigger -> trigger.times.slots())
                .filter(Objects::nonNull)
                .toList();
        boolean known = !slots.isEmpty() && slots.size() == all.size();
        Times times = new Times(known ? CronSlots.ofAll(slots) : null, null, false, true);
        List<String> schedulers =
                all.stream().map(trigger -> trigger.scheduler).distinct().toList();
        String scheduler = schedulers.size() == 1 ? schedulers.get(0) : "";
        return new LeaseSchedule(scheduling, !all.isEmpty(), times, scheduler);
    }

    private static boolean isAsynchronous(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(annotation -> annotation.getType().getSimpleName())
                .anyMatch(ASYNCHRONOUS::contains);
    }

    /** Ignores {@code @Scheduled} on a method that this method overrides, as Spring does. */
    private static List<MergedAnnotation<Scheduled>> triggers(Method method) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class, Schedules.class).stream()
                .map(MergedAnnotation::from)
                .toList();
    }

    public static boolean isScheduled(Method method) {
        return !triggers(method).isEmpty();
    }

    public static boolean firesOnceAfterStart(Method method) {
        return triggers(method).stream()
                .anyMatch(trigger -> Stream.of("cron", "fixedDelayString", "fixedRateString")
                                .allMatch(attribute ->
                                        trigger.getString(attribute).isEmpty())
                        && trigger.getLong("fixedDelay") < 0
                        && trigger.getLong("fixedRate") < 0);
    }

    public boolean isScheduled() {
        return scheduling != null;
    }

    /** Returns false if each trigger is switched off or fires only once. */
    public boolean fires() {
        return fires;
    }

    /**
     * Returns whether {@code @Scheduled} has only one trigger, and this trigger has slots. The task in Spring may have
     * another trigger.
     */
    public boolean hasSlots() {
        return times.slots() != null && !times.ofSeveral();
    }

    public boolean isSeveral() {
        return times.ofSeveral();
    }

    public boolean isSeveralWithSlots() {
        return times.slots() != null && times.ofSeveral();
    }

    /**
     * Returns {@code null} if the scheduler does not make the current call. A call of an {@code @Async} method gets the
     * last firing, because the thread of the method does not know its caller.
     */
    public @Nullable Firing firing() {
        return scheduling == null ? null : scheduling.firing();
    }

    /** Returns the firings on this node, the latest first. */
    public List<Firing> firings() {
        return scheduling == null ? List.of() : scheduling.firings();
    }

    /** {@code now} supplies DynamoDB's time; the result is {@code null} if the firing has no slot. */
    public @Nullable Instant slot(Firing firing, Supplier<Instant> now) {
        CronSlots slots = slots(firing);
        return slots == null ? null : firing.slot(slots, now.get());
    }

    public boolean hasSlots(Firing firing) {
        return slots(firing) != null;
    }

    private @Nullable CronSlots slots(Firing firing) {
        return firing.isByTest() ? times.slots() : firing.slots();
    }

    /** Returns the delay of a late firing, at most once per hour; {@code null} otherwise. */
    public @Nullable Duration tooLate(Firing firing) {
        Duration late = firing.delay();
        Duration period = firing.period();
        Duration half = period == null ? MAX_DELAY : period.dividedBy(2);
        Duration allowed = half.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : half.compareTo(MIN_DELAY) < 0 ? MIN_DELAY : half;
        Instant before = lastLate;
        boolean isTooLate = late != null && late.compareTo(allowed) > 0;
        if (!isTooLate || (before != null && firing.begun().isBefore(before.plus(ONE_LINE)))) {
            return null;
        }
        lastLate = firing.begun();
        return late;
    }

    /** Returns the method's cron expressions; {@code null} if one fires at {@code slot}, or if none is known. */
    public @Nullable String otherThan(Instant slot) {
        List<CronSlots> known = scheduling == null ? List.of() : scheduling.slots();
        List<CronSlots> all = known.isEmpty() && times.slots() != null ? List.of(times.slots()) : known;
        return all.isEmpty() || all.stream().anyMatch(slots -> slots.contains(slot))
                ? null
                : all.stream().map(CronSlots::toString).distinct().collect(Collectors.joining("', '", "'", "'"));
    }

    public boolean isFirstDisagreement(String key) {
        return remember("other " + key, "") == null;
    }

    /** Returns true unless the previous call for this key passed the same {@code laterRun}. */
    public boolean isFirstSkip(String key, String laterRun) {
        return !laterRun.equals(remember("later " + key, laterRun));
    }

    /** After 100 values, forgets all values to limit memory use; a log line may then be repeated. */
    private @Nullable String remember(String what, String value) {
        if (logged.size() >= MAX_KEYS) {
            logged.clear();
        }
        return logged.put(what, value);
    }

    /** Returns why a task of the method has no slots; {@code null} if all tasks have slots or the tasks are unknown. */
    public @Nullable String problemOfTasks() {
        return scheduling == null ? null : scheduling.problem();
    }

    /** Call this method after Spring has registered all tasks. */
    public void catchUp(CatchUp catchUp) {
        if (scheduling != null) {
            catchUp.begin(scheduling.tasks());
        }
    }

    /** Returns false, without firing the method, if no task of this node has the slot. */
    public boolean fireAgain(Instant slot) {
        Optional<FiringTask> own = scheduling == null
                ? Optional.empty()
                : scheduling.tasks().stream()
                        .filter(task -> task.slots() != null && task.slots().contains(slot))
                        .findFirst();
        own.ifPresent(task -> task.catchUp(slot));
        return own.isPresent();
    }

    public @Nullable Instant slotNearest(Instant time) {
        CronSlots slots = times.slots();
        return slots == null ? null : slots.nearest(time);
    }

    /**
     * Returns the shortest time between two firings; {@code null} if unknown, or if several triggers fire the method.
     */
    public @Nullable Duration period() {
        return times.period();
    }

    public boolean isFixedDelay() {
        return times.fixedDelay();
    }

    /** Returns an empty text if the annotation names no scheduler, or if several triggers name different schedulers. */
    public String scheduler() {
        return scheduler;
    }

    private record Reader(
            MergedAnnotation<Scheduled> trigger, EmbeddedValueResolver values, Function<String, Clock> clocks) {

        LeaseSchedule read(Scheduling scheduling) {
            String scheduler = text("scheduler");
            String cron = text("cron");
            if (CronExpression.isValidExpression(cron)) {
                Times times = times(CronExpression.parse(cron), clocks.apply(scheduler));
                return new LeaseSchedule(scheduling, true, times, scheduler);
            }
            Duration delay = duration("fixedDelay");
            Duration period = delay == null ? duration("fixedRate") : delay;
            Times times = new Times(null, period, delay != null, false);
            return new LeaseSchedule(scheduling, period != null, times, scheduler);
        }

        private Times times(CronExpression cron, Clock clock) {
            CronSlots slots = new CronSlots(cron, zone(text("zone"), clock));
            Duration period = slots.shortestDistance(clock.instant());
            boolean apart = CronSlots.areFarEnoughApart(period);
            return new Times(apart ? slots : null, period, false, false);
        }

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
