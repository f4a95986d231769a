package io.leasekit.threads;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in the order of their addition, so the state that the tasks use needs no lock. The thread
 * that adds a task to an idle mailbox runs this task and all tasks added meanwhile.
 *
 * <p>A mailbox is small (24 bytes when idle), because every acquire and every queue of callers has a mailbox. Waiting
 * tasks form a list with the newest task first (a Treiber stack, IBM RJ 5118, 1986).
 */
@Internal
public final class Mailbox {

    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);
    private static final AtomicReferenceFieldUpdater<Mailbox, @Nullable Left> LEFT =
            AtomicReferenceFieldUpdater.newUpdater(Mailbox.class, Left.class, "left");

    /** {@code left} is {@code NONE} while a task runs and no task waits, and {@code null} while no task runs. */
    private static final Left NONE = new Left(() -> {}, null);

    private final Consumer<Throwable> onError;
    private volatile @Nullable Left left;

    private static final class Left {
        private final Runnable task;
        // The task that was added just before this task; after inOrder(), the task that was added next.
        private @Nullable Left before;

        Left(Runnable task, @Nullable Left before) {
            this.task = task;
            this.before = before;
        }
    }

    /**
     * A mailbox step that waits for the permission to send a request, or for the result of a read. A dropped step
     * refers to no other object, because a queue can keep the step in memory for a long time. Any thread may call
     * {@link #execute} and {@link #pass}; only tasks of the mailbox may call the other methods.
     */
    @Internal
    public static final class WaitingStep<T> implements Executor, Consumer<T> {

        private volatile @Nullable Mailbox mailbox;
        private @Nullable Consumer<T> step;

        public WaitingStep(Mailbox mailbox, Consumer<T> step) {
            this.mailbox = mailbox;
            this.step = step;
        }

        /**
         * After a drop, the calling thread runs the task. The task then gives back the permission to send a request.
         */
        @Override
        public void execute(Runnable task) {
            Mailbox steps = mailbox;
            if (steps == null) {
                task.run();
            } else {
                steps.execute(task);
            }
        }

        @Override
        public void accept(T value) {
            if (mailbox != null && step != null) {
                step.accept(value);
            }
        }

        public void pass(T value) {
            execute(() -> accept(value));
        }

        public void drop() {
            mailbox = null;
            step = null;
        }
    }

    /** {@code onError} receives each exception of a task; the mailbox then continues with the next task. */
    public Mailbox(Consumer<Throwable> onError) {
        this.onError = onError;
    }

    public void execute(Runnable task) {
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
        } catch (Throwable e) {
            Quietly.run(() -> log.error(
                    "A step of the lease engine failed; an acquire fails by it, a held lease or a queue goes on with its next step",
                    e));
            Quietly.run(() -> onError.accept(e));
        }
    }
}
