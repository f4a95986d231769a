package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order, on whichever thread brings the first one; others only leave theirs. So the state that
 * its tasks touch needs no lock, no thread waits, and no lock is held while a request is sent. A task that brings another
 * one has it run after itself.
 *
 * <p>One for each lease and each waiter, so it is small: what was left while a task runs is a list, the newest first (R. K.
 * Treiber, "Systems Programming: Coping with Parallelism", 1986), which who runs the tasks takes as a whole and turns round.
 */
final class Mailbox {

    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);
    private static final AtomicReferenceFieldUpdater<Mailbox, Left> LEFT =
            AtomicReferenceFieldUpdater.newUpdater(Mailbox.class, Left.class, "left");

    /** Somebody runs a task, and none was left meanwhile; {@code null} stands for: nobody does. */
    private static final Left NONE = new Left(() -> {}, null);

    private final Consumer<Throwable> onError;
    private volatile @Nullable Left left;

    private static final class Left {
        private final Runnable task;
        private @Nullable Left before; // turned round by who has taken the list

        Left(Runnable task, @Nullable Left before) {
            this.task = task;
            this.before = before;
        }
    }

    /** Whatever a step throws is logged and handed to {@code onError}, which must not throw; the next step comes after it. */
    Mailbox(Consumer<Throwable> onError) {
        this.onError = onError;
    }

    void execute(Runnable task) {
        while (true) {
            Left last = left;
            if (last == null) {
                if (LEFT.compareAndSet(this, null, NONE)) {
                    run(task);
                    runLeft();
                    return;
                }
            } else if (LEFT.compareAndSet(this, last, new Left(task, last))) {
                return;
            }
        }
    }

    private void runLeft() {
        while (!LEFT.compareAndSet(this, NONE, null)) {
            Left next = inOrder(LEFT.getAndSet(this, NONE));
            while (next != null) {
                run(next.task);
                next = next.before;
            }
        }
    }

    private static @Nullable Left inOrder(Left newest) {
        Left oldest = null;
        for (Left next = newest; next != null && next != NONE; ) {
            Left before = next.before;
            next.before = oldest;
            oldest = next;
            next = before;
        }
        return oldest;
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("Lease engine failed in a step; the lease goes on with its next one", e);
            onError.accept(e);
        }
    }

    /**
     * A mailbox's timer: one step that waits for its time. A base class of what waits rather than an object of its own, because
     * thousands may wait.
     */
    abstract static class Pausing {

        private final Mailbox mailbox;
        private final EngineTime time;
        private EngineTime.@Nullable Timer timer;
        private @Nullable Runnable pending; // what the timer waits for
        private int pauses; // the number of each timer: one that was cancelled too late does nothing

        Pausing(Mailbox mailbox, EngineTime time) {
            this.mailbox = mailbox;
            this.time = time;
        }

        /** Runs the step in the mailbox. */
        final void receive(Runnable step) {
            mailbox.execute(step);
        }

        /** Runs the step in the mailbox after this time, in place of one that waits. */
        final void after(long delayNanos, Runnable step) {
            int pause = ++pauses;
            pending = step;
            timer = time.schedule(
                    delayNanos,
                    () -> mailbox.execute(() -> {
                        if (pauses == pause) {
                            endPause();
                        }
                    }));
        }

        /** Runs the step that waits now. */
        final void endPause() {
            Runnable step = pending;
            cancelPause();
            if (step != null) {
                step.run();
            }
        }

        /** Forgets the step that waits. */
        final void cancelPause() {
            pauses++;
            pending = null;
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
