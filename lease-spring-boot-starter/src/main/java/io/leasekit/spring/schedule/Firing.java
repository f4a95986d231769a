package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A firing: one call of a scheduled method by its scheduler, with the time for which the call was scheduled. While a
 * thread runs the task, a thread-local variable of this thread holds the firing. If a call continues on another thread,
 * the firing is passed to that thread. Thread-safe, except for {@link #logInstead}.
 */
@Internal
public final class Firing {

    private static final ThreadLocal<@Nullable Firing> CURRENT = new ThreadLocal<>();

    private final @Nullable FiringTask task; // null: fired by a test
    private final @Nullable CalledMethod called; // the method that a test fires; null: fired by a task
    private final Instant begun;
    private final @Nullable Instant scheduled;
    private final @Nullable Instant missed; // the slot to catch up; null: fired by the trigger
    private volatile @Nullable String run;
    private volatile FiringOutcome outcome = FiringOutcome.BEGUN;
    private @Nullable Throwable failure;
    private @Nullable Runnable line;

    private Firing(
            @Nullable FiringTask task,
            @Nullable CalledMethod called,
            Instant begun,
            @Nullable Instant scheduled,
            @Nullable Instant missed) {
        this.task = task;
        this.called = called;
        this.begun = begun;
        this.scheduled = scheduled;
        this.missed = missed;
    }

    /**
     * Creates a firing that begins now. {@code begun} and {@code scheduled} are times of the node's clock.
     * {@code scheduled} is {@code null} if the scheduled time is unknown.
     */
    Firing(FiringTask task, Instant begun, @Nullable Instant scheduled) {
        this(task, null, begun, scheduled, null);
    }

    /**
     * Creates a firing that begins now, for a slot (a time of the cron expression) that has passed without a firing.
     */
    static Firing ofMissed(FiringTask task, Instant begun, Instant slot) {
        return new Firing(task, null, begun, null, slot);
    }

    /**
     * Creates a firing for a test that calls the scheduled method directly. The slots of the returned firing are the
     * times of the method's cron expression, because no scheduler has scheduled a task.
     */
    public static Firing byTest(Class<?> type, String method) {
        return new Firing(null, new CalledMethod(type, method), Instant.MAX, null, null);
    }

    /** Returns the firing that this thread runs; {@code null} if the thread runs no firing. */
    public static @Nullable Firing current() {
        return CURRENT.get();
    }

    /** Runs the code on the calling thread; while the code runs, {@link #current} returns this firing. */
    public void run(Runnable code) {
        run(code, () -> false);
    }

    /**
     * Runs a task. If Spring's default error handler would get an exception with a log line from {@link #logInstead},
     * logs the line instead of rethrowing the exception.
     */
    @SuppressWarnings("ReferenceEquality") // another exception is not that of the store
    void run(Runnable code, BooleanSupplier isHandledByDefault) {
        Firing outer = CURRENT.get(); // not null if a scheduler runs a task on the thread that submits it
        CURRENT.set(this);
        try {
            code.run();
        } catch (RuntimeException e) {
            if (e != failure || line == null || !isHandledByDefault.getAsBoolean()) {
                throw e;
            }
            line.run();
        } finally {
            failure = null; // the task keeps the firing for a while
            line = null;
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * Sets the line that is logged, in place of Spring's stack trace, for an exception that the fired method is about
     * to throw.
     *
     * @param line called to log the exception; not called if an error handler of the application may get the exception
     */
    public void logInstead(Throwable failure, Runnable line) {
        this.failure = failure;
        this.line = line;
    }

    /**
     * Returns whether the scheduler itself calls the given method; false for a method that the scheduled method calls.
     */
    boolean calls(Method method, Class<?> targetClass) {
        return called != null ? called.is(method, targetClass) : task != null && task.calls(method, targetClass);
    }

    boolean isByTest() {
        return task == null;
    }

    /**
     * Sets the name of the run that this firing belongs to; {@code null} if the firing belongs to no run. The run of a
     * firing for a slot is named after the slot.
     */
    public void isFor(@Nullable String name) {
        run = name;
    }

    /** Returns the name of the run; {@code null} if the firing belongs to no run, or if the slot is not known yet. */
    public @Nullable String run() {
        return run;
    }

    /** Sets the current outcome of this firing, which may change until the firing has ended. */
    public void became(FiringOutcome known) {
        outcome = known;
    }

    /** Sets the outcome to {@code RUNNING}, with the current time as the time at which the work began. */
    public void begins() {
        became(new FiringOutcome(
                FiringOutcome.Kind.RUNNING,
                null,
                task == null ? null : task.clock().instant(),
                null));
    }

    /** Sets the final outcome after the work of the method has ended, and keeps the time at which the work began. */
    public void ended(FiringOutcome.Kind kind, @Nullable Throwable cause) {
        became(outcome.ended(kind, cause));
    }

    public FiringOutcome outcome() {
        return outcome;
    }

    /** Returns the time at which the firing began, by the node's clock. */
    public Instant begun() {
        return begun;
    }

    /** Returns how much later than scheduled the firing began; {@code null} if the scheduled time is unknown. */
    public @Nullable Duration delay() {
        return scheduled == null ? null : Duration.between(scheduled, begun);
    }

    @Nullable
    Duration period() {
        return task == null ? null : task.period();
    }

    @Nullable
    CronSlots slots() {
        return task == null ? null : task.slots();
    }

    /**
     * Returns the slot (the time of the cron expression) that this firing is for; {@code null} if the firing has no
     * slot. Usually, the slot of a firing is the slot nearest to its scheduled time. The scheduled time is first
     * corrected by the difference between the node's clock and DynamoDB's time. A corrected time in the future, after
     * the node's clock was set back, is replaced by DynamoDB's time. For a firing that was created because a slot
     * was missed, this method returns the missed slot. If a newer slot is already due, this method returns the newest due slot, because one firing
     * covers all due slots, as in Spring.
     *
     * @param now the current time by DynamoDB's clock
     */
    @Nullable
    Instant slot(CronSlots slots, Instant now) {
        Instant own = missed != null
                ? missed
                : slots.nearest(task == null || scheduled == null ? now : corrected(task, scheduled, now));
        Instant due = slots.lastUntil(now);
        return own != null && due != null && due.isAfter(own) ? due : own;
    }

    private static Instant corrected(FiringTask task, Instant scheduled, Instant now) {
        Instant time = scheduled.plus(Duration.between(task.clock().instant(), now));
        return time.isAfter(now) ? now : time;
    }
}
