package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call of a scheduled method by its scheduler, with the time for which the call was scheduled. Thread-safe, except
 * for {@link #logInstead}.
 */
@Internal
public final class Firing {

    private static final ThreadLocal<@Nullable Firing> CURRENT = new ThreadLocal<>();

    private final @Nullable FiringTask task; // null if a test fires the method
    private final @Nullable CalledMethod called; // the method that a test fires; null if a task fires it
    private final Instant begun;
    private final @Nullable Instant scheduled;
    private final @Nullable Instant missed; // the missed slot for which Leasekit started this firing, if any
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
     * {@code begun} and {@code scheduled} are times of the node's clock; {@code scheduled} is {@code null} if unknown.
     */
    Firing(FiringTask task, Instant begun, @Nullable Instant scheduled) {
        this(task, null, begun, scheduled, null);
    }

    static Firing ofMissed(FiringTask task, Instant begun, Instant slot) {
        return new Firing(task, null, begun, null, slot);
    }

    /** Creates the firing of a test that calls the scheduled method directly, without a scheduled task. */
    public static Firing byTest(Class<?> type, String method) {
        return new Firing(null, new CalledMethod(type, method), Instant.MAX, null, null);
    }

    public static @Nullable Firing current() {
        return CURRENT.get();
    }

    public void run(Runnable code) {
        run(code, () -> false);
    }

    /** Logs the line of {@link #logInstead} if Spring's default error handler would get the exception. */
    @SuppressWarnings("ReferenceEquality") // only the exception object that logInstead() got counts
    void run(Runnable code, BooleanSupplier isHandledByDefault) {
        // A scheduler may run the task on the submitting thread, within another firing.
        Firing outer = CURRENT.get();
        CURRENT.set(this);
        try {
            code.run();
        } catch (RuntimeException e) {
            if (e != failure || line == null || !isHandledByDefault.getAsBoolean()) {
                throw e;
            }
            line.run();
        } finally {
            // The task keeps this firing, so the exception would stay in memory.
            failure = null;
            line = null;
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** Sets the log line that replaces Spring's stack trace of an exception that the fired method is about to throw. */
    public void logInstead(Throwable failure, Runnable line) {
        this.failure = failure;
        this.line = line;
    }

    /** Returns whether the scheduler itself calls the method; false for a method that the scheduled method calls. */
    boolean calls(Method method, Class<?> targetClass) {
        return called != null ? called.is(method, targetClass) : task != null && task.calls(method, targetClass);
    }

    boolean isByTest() {
        return task == null;
    }

    public void isFor(@Nullable String name) {
        run = name;
    }

    /** Returns {@code null} if the firing belongs to no run, or if the slot is not known yet. */
    public @Nullable String run() {
        return run;
    }

    public void became(FiringOutcome known) {
        outcome = known;
    }

    public void begins() {
        became(new FiringOutcome(
                FiringOutcome.Kind.RUNNING,
                null,
                task == null ? null : task.clock().instant(),
                null));
    }

    public void ended(FiringOutcome.Kind kind, @Nullable Throwable cause) {
        became(outcome.ended(kind, cause));
    }

    public FiringOutcome outcome() {
        return outcome;
    }

    public Instant begun() {
        return begun;
    }

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
     * Returns the time of the cron expression that this firing is for; {@code null} if there is none. If a newer slot
     * is already due, returns the newest due slot, because one firing covers all due slots, as in Spring. After the
     * node's clock was set back, the scheduled time may be in the future. DynamoDB's time then replaces the scheduled
     * time.
     *
     * @param now DynamoDB's time
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
