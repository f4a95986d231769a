package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A firing of a scheduled method, with the time for which it was scheduled. A thread-local variable holds the firing
 * while the thread of the task runs it. Calls that continue on another thread take the firing along. Thread-safe,
 * except for {@link #logInstead}.
 */
@Internal
public final class Firing {

    private static final ThreadLocal<@Nullable Firing> CURRENT = new ThreadLocal<>();

    private final @Nullable FiringTask task; // null: fired by a test
    private final @Nullable CalledMethod called; // by a test
    private final Instant begun;
    private final @Nullable Instant scheduled;
    private final @Nullable Instant missed; // null: fired by the trigger
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
     * Creates a firing that begins now. Both times are by the node's clock; {@code scheduled}: {@code null} if unknown.
     */
    Firing(FiringTask task, Instant begun, @Nullable Instant scheduled) {
        this(task, null, begun, scheduled, null);
    }

    /** Creates a firing that begins now, for a slot that has passed without a firing. */
    static Firing ofMissed(FiringTask task, Instant begun, Instant slot) {
        return new Firing(task, null, begun, null, slot);
    }

    /** Creates a firing for a test that calls the method itself. The slots of the firing come from the annotation. */
    public static Firing byTest(Class<?> type, String method) {
        return new Firing(null, new CalledMethod(type, method), Instant.MAX, null, null);
    }

    /** Returns the firing of this thread; {@code null} if there is none. */
    public static @Nullable Firing current() {
        return CURRENT.get();
    }

    /** Runs the code of a scheduler on this thread within this firing. */
    public void run(Runnable code) {
        run(code, () -> false);
    }

    /**
     * Runs a task. If the task throws the exception of {@link #logInstead} and Spring's default handler would get it,
     * logs the line and does not rethrow the exception.
     */
    @SuppressWarnings("ReferenceEquality") // another exception is not that of the store
    void run(Runnable code, BooleanSupplier isHandledByDefault) {
        Firing outer = CURRENT.get(); // of a scheduler that runs tasks on the thread that brings them
        CURRENT.set(this);
        try {
            code.run();
        } catch (RuntimeException e) {
            if (e != failure || line == null || !isHandledByDefault.getAsBoolean()) {
                throw e;
            }
            line.run();
        } finally {
            failure = null; // the firing is remembered for a while
            line = null;
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * Sets the log line for this exception, which the fired call is about to throw.
     *
     * @param line logs the exception, if no error handler of the application may get it
     */
    public void logInstead(Throwable failure, Runnable line) {
        this.failure = failure;
        this.line = line;
    }

    /** Returns whether the scheduler calls this method directly, and not through other code. */
    boolean calls(Method method, Class<?> targetClass) {
        return called != null ? called.is(method, targetClass) : task != null && task.calls(method, targetClass);
    }

    boolean isByTest() {
        return task == null;
    }

    /** Sets the name of the run, which for a cron expression is the slot; {@code null}: the run has no name. */
    public void isFor(@Nullable String name) {
        run = name;
    }

    /** Returns the name of the run; {@code null} if the run has no name, or if the slot is not known yet. */
    public @Nullable String run() {
        return run;
    }

    /** Sets the outcome so far. */
    public void became(FiringOutcome known) {
        outcome = known;
    }

    /** Sets the outcome when the work begins. */
    public void begins() {
        became(new FiringOutcome(
                FiringOutcome.Kind.RUNNING,
                null,
                task == null ? null : task.clock().instant(),
                null));
    }

    /** Sets the outcome when the work has ended. */
    public void ended(FiringOutcome.Kind kind, @Nullable Throwable cause) {
        became(outcome.ended(kind, cause));
    }

    /** Returns the outcome so far. */
    public FiringOutcome outcome() {
        return outcome;
    }

    /** Returns the time at which the firing began, by the node's clock. */
    public Instant begun() {
        return begun;
    }

    /** Returns how late the firing began; {@code null} if its scheduled time is unknown. */
    public @Nullable Duration delay() {
        return scheduled == null ? null : Duration.between(scheduled, begun);
    }

    /** Returns the shortest time between two firings of the task; {@code null} if it is unknown. */
    @Nullable
    Duration period() {
        return task == null ? null : task.period();
    }

    /** Returns the slots of the task that fired; {@code null} if the task has no slots. */
    @Nullable
    CronSlots slots() {
        return task == null ? null : task.slots();
    }

    /**
     * Returns the slot of this firing; {@code null} if there is none. The slot is the one nearest to the scheduled
     * time, corrected by the difference between the node's clock and DynamoDB's time. If the corrected time is in the
     * future, because the node's clock was set back, it is the slot nearest to DynamoDB's time. For a missed slot, it
     * is that slot. If a newer slot is due, the method returns the newest slot that is due: as in Spring, one firing
     * covers all slots that are due.
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
