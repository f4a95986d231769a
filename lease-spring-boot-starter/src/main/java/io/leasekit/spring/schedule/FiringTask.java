package io.leasekit.spring.schedule;

import io.leasekit.internal.BriefLock;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronTrigger;

/** The task of a scheduled method, which records the scheduled time of each firing. Thread-safe. */
final class FiringTask implements SchedulingAwareRunnable {

    /** Limits the recorded times, because the times of rejected firings stay in the queue. */
    private static final int MAX_TIMES = 100;

    static final int FIRINGS = 20;

    private final Runnable task;
    private final @Nullable Trigger trigger;
    private final @Nullable CalledMethod method;
    private final BooleanSupplier isHandledByDefault;
    private final BriefLock lock = new BriefLock();
    // The times at which the task has not fired yet; guarded by lock.
    private final Deque<Instant> times = new ArrayDeque<>();
    private final Deque<Firing> firings = new ArrayDeque<>(); // the latest first; guarded by lock
    private volatile Clock clock;
    private volatile @Nullable Known known;
    private volatile @Nullable Future<?> future;
    private volatile @Nullable TaskScheduler scheduler;

    /** The slots of a trigger and their shortest distance, cached because computing the distance takes some time. */
    private record Known(
            Clock clock, CronSlots slots, @Nullable Duration period) {}

    /** {@code trigger} is {@code null} if the task has a fixed rate or delay, or fires only once. */
    FiringTask(
            Runnable task,
            @Nullable Trigger trigger,
            Clock clock,
            @Nullable CalledMethod method,
            BooleanSupplier isHandledByDefault) {
        this.task = task;
        this.trigger = trigger;
        this.clock = clock;
        this.method = method;
        this.isHandledByDefault = isHandledByDefault;
    }

    Trigger noting(Trigger trigger) {
        return context -> next(trigger, context);
    }

    private @Nullable Instant next(Trigger from, TriggerContext context) {
        Instant next = from.nextExecution(context);
        clock = context.getClock(); // a qualifier may select a scheduler with another clock
        if (next != null) {
            note(next);
        }
        return next;
    }

    private void note(Instant next) {
        lock.run(() -> {
            if (times.size() == MAX_TIMES) {
                times.remove();
            }
            times.add(next);
        });
    }

    /**
     * Prefers the latest past time. The queue may also hold times of rejected firings, and a future time that the
     * scheduler has already computed.
     */
    private @Nullable Instant takeTime(Instant now) {
        return lock.get(() -> {
            Instant taken = times.poll();
            for (Instant later : times) {
                taken = later.isAfter(now) ? taken : later;
            }
            return taken;
        });
    }

    @Override
    public void run() {
        Instant now = clock.instant();
        run(now, takeTime(now));
    }

    void run(Instant now, @Nullable Instant scheduled) {
        run(new Firing(this, now, scheduled));
    }

    private void run(Firing firing) {
        remember(firing);
        firing.run(task, isHandledByDefault);
    }

    void catchUp(Instant slot) {
        start(Duration.ZERO, () -> run(Firing.ofMissed(this, clock.instant(), slot)));
    }

    void start(Duration delay, Runnable code) {
        Objects.requireNonNull(scheduler)
                .schedule(new OnItsScheduler(this, code), clock.instant().plus(delay));
    }

    /** Code that has the qualifier of a task, so that Spring's router runs the code on the scheduler of the task. */
    private record OnItsScheduler(FiringTask task, Runnable code) implements SchedulingAwareRunnable {

        @Override
        public void run() {
            code.run();
        }

        @Override
        public @Nullable String getQualifier() {
            return task.getQualifier();
        }

        @Override
        public String toString() {
            return task.toString();
        }
    }

    /** Call this method before the scheduler gets this task. */
    FiringTask on(TaskScheduler given) {
        scheduler = given;
        return this;
    }

    private void remember(Firing firing) {
        lock.run(() -> {
            if (firings.size() == FIRINGS) {
                firings.removeLast();
            }
            firings.addFirst(firing);
        });
    }

    <T extends Future<?>> T with(T scheduled) {
        future = scheduled;
        return scheduled;
    }

    boolean isCancelled() {
        Future<?> scheduled = future;
        return scheduled != null && scheduled.isCancelled();
    }

    boolean calls(Method other, Class<?> targetClass) {
        return method != null && method.is(other, targetClass);
    }

    List<Firing> firings() {
        return lock.get(() -> List.copyOf(firings));
    }

    Clock clock() {
        return clock;
    }

    @Nullable
    CronSlots slots() {
        Known known = known();
        return known != null && CronSlots.areFarEnoughApart(known.period) ? known.slots : null;
    }

    @Nullable
    Duration period() {
        Known known = known();
        return known == null ? null : known.period;
    }

    private @Nullable Known known() {
        CronTrigger cron = cron();
        if (cron == null) {
            return null;
        }
        Clock now = clock;
        Known last = known;
        if (last == null || !last.clock.equals(now)) {
            CronSlots slots = CronSlots.of(cron, now);
            last = new Known(now, slots, slots.shortestDistance(now.instant()));
            known = last;
        }
        return last;
    }

    /** Returns {@code null} for a subclass of {@code CronTrigger}, because a subclass may fire at other times. */
    private @Nullable CronTrigger cron() {
        return trigger instanceof CronTrigger cron && cron.getClass() == CronTrigger.class ? cron : null;
    }

    String trigger() {
        CronTrigger cron = cron();
        return cron != null
                ? "'" + cron.getExpression() + "', whose times are less than 10 s apart"
                : (trigger == null
                                ? "a fixed rate or delay"
                                : "a " + trigger.getClass().getName()) + " instead of a cron expression";
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
