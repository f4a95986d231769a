package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A firing of a scheduled method, with the time for which it was scheduled. It is on the thread of the task; calls that go on
 * without this thread take it with them. Thread-safe, except for {@link #logInstead}.
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

    /** Creates a firing that begins now. Both times are those of the node's clock; the second one may be unknown. */
    Firing(FiringTask task, Instant begun, @Nullable Instant scheduled) {
        this(task, null, begun, scheduled, null);
    }

    /** Creates a firing that begins now, for a slot that has passed without one. */
    static Firing ofMissed(FiringTask task, Instant begun, Instant slot) {
        return new Firing(task, null, begun, null, slot);
    }

    /** Creates the firing of a test, which calls the method itself: the annotation has its slots. */
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

    /** Runs a task. Its failure ends here if {@link #logInstead} has a line for it and no other handler wants it. */
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
     * Sets the line for this exception, which the call that was fired is about to throw.
     *
     * @param line logs the exception, if no error handler does
     */
    public void logInstead(Throwable failure, Runnable line) {
        this.failure = failure;
        this.line = line;
    }

    /** Returns whether the scheduler calls this method, and not only code that it calls. */
    boolean calls(Method method, Class<?> targetClass) {
        return called != null ? called.is(method, targetClass) : task != null && task.calls(method, targetClass);
    }

    boolean isByTest() {
        return task == null;
    }

    /** Notes the name of the run, for a cron expression the slot; {@code null} if it has none. */
    public void isFor(@Nullable String name) {
        run = name;
    }

    /** Returns the name of its run; {@code null} if it has none, or if its slot is not known yet. */
    public @Nullable String run() {
        return run;
    }

    /** Notes what has become of it, so far. */
    public void became(FiringOutcome known) {
        outcome = known;
    }

    /** Notes that its work begins. */
    public void begins() {
        became(new FiringOutcome(
                FiringOutcome.Kind.RUNNING,
                null,
                task == null ? null : task.clock().instant(),
                null));
    }

    /** Notes how its work has ended. */
    public void ended(FiringOutcome.Kind kind, @Nullable Throwable cause) {
        became(outcome.ended(kind, cause));
    }

    /** Returns what has become of it, so far. */
    public FiringOutcome outcome() {
        return outcome;
    }

    /** Returns when it began, by the node's clock. */
    public Instant begun() {
        return begun;
    }

    /** Returns how late it began; {@code null} if the time for which it was scheduled is unknown. */
    public @Nullable Duration delay() {
        return scheduled == null ? null : Duration.between(scheduled, begun);
    }

    /** Returns the shortest time between two firings of its task; {@code null} if it is unknown. */
    @Nullable
    Duration period() {
        return task == null ? null : task.period();
    }

    /** Returns the slots of the task that fired; {@code null} if it has none. */
    @Nullable
    CronSlots slots() {
        return task == null ? null : task.slots();
    }

    /**
     * Returns its slot: the one nearest to the time for which it was scheduled, corrected by the difference between the clocks. If
     * that time has not come, because the node's clock was set back, the slot is the one nearest to DynamoDB's time. If a newer slot
     * is due, this firing stands for all of them, as in Spring, and the newest one is returned. {@code null}: there is none. A firing
     * for a missed slot has that one in place of the nearest.
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
