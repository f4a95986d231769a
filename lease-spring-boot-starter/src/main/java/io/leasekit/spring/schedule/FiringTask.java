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

/**
 * The task of a scheduled method. Wraps the runnable and the trigger that Spring's registrar passes to the scheduler,
 * and so knows each firing's scheduled time. Thread-safe.
 */
final class FiringTask implements SchedulingAwareRunnable {

    /**
     * The maximum number of scheduled times that a task remembers. Without a limit, the task would never forget the
     * times of firings that a scheduler has rejected.
     */
    private static final int MAX_TIMES = 100;

    /** The number of past firings that each task remembers. */
    static final int FIRINGS = 20;

    private final Runnable task;
    private final @Nullable Trigger trigger;
    private final @Nullable CalledMethod method;
    private final BooleanSupplier isHandledByDefault;
    private final BriefLock lock = new BriefLock();
    private final Deque<Instant> times = new ArrayDeque<>(); // not fired yet; guarded by lock
    private final Deque<Firing> firings = new ArrayDeque<>(); // the latest first; guarded by lock
    private volatile Clock clock;
    private volatile @Nullable Known known;
    private volatile @Nullable Future<?> future;
    private volatile @Nullable TaskScheduler scheduler;

    /**
     * The slots of a trigger and the shortest distance between the slots. The distance is cached, because its
     * computation takes some time.
     */
    private record Known(
            Clock clock, CronSlots slots, @Nullable Duration period) {}

    /** Creates the task. {@code trigger} is {@code null} if the task has a fixed rate or delay, or fires only once. */
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

    /** Returns a trigger that fires at the same times as the given trigger, and records these times. */
    Trigger noting(Trigger trigger) {
        return context -> next(trigger, context);
    }

    private @Nullable Instant next(Trigger from, TriggerContext context) {
        Instant next = from.nextExecution(context);
        clock = context.getClock(); // of the scheduler that a qualifier names
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
     * Returns the scheduled time of the firing that begins now. A recorded time in the future may belong to a later
     * firing: a scheduler may compute the next time before the thread of the current firing has started.
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

    /** Fires the task on its scheduler, for a slot (a time of the cron expression) that has passed without a firing. */
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

    /** Sets the scheduler of this task, before the task is passed to the scheduler. */
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

    /**
     * Sets the future that the scheduler has returned for this task. A task whose future is cancelled no longer fires.
     */
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

    /** Returns the slots (the times of the cron expression) of this task; {@code null} if the task has no slots. */
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

    /**
     * Returns the cron trigger; {@code null} if the task has another trigger. A subclass of {@code CronTrigger} may
     * fire at other times, so it does not count as a cron trigger.
     */
    private @Nullable CronTrigger cron() {
        return trigger instanceof CronTrigger cron && cron.getClass() == CronTrigger.class ? cron : null;
    }

    /** Returns a text that describes the trigger of a task without slots. */
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
