package io.leasekit.threads;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time and in order, on the thread that adds the first one; other threads only leave theirs. So the
 * state that the tasks touch needs no lock, no thread waits, and no lock is held while a request is sent. A task that
 * adds another one has it run after itself.
 *
 * <p>Each acquire with its lease and each {@code KeyQueue} has a mailbox, so it is small. Tasks left while another one
 * runs form a list, newest first (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986). The running
 * thread takes the whole list and reverses it.
 */
@Internal
public final class Mailbox {

    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);
    private static final AtomicReferenceFieldUpdater<Mailbox, @Nullable Left> LEFT =
            AtomicReferenceFieldUpdater.newUpdater(Mailbox.class, Left.class, "left");

    /** A thread runs a task and none was left meanwhile; {@code null}: no thread runs one. */
    private static final Left NONE = new Left(() -> {}, null);

    private final Consumer<Throwable> onError;
    private volatile @Nullable Left left;

    private static final class Left {
        private final Runnable task;
        private @Nullable Left before; // reversed by the thread that took the list

        Left(Runnable task, @Nullable Left before) {
            this.task = task;
            this.before = before;
        }
    }

    /** Exceptions of a step are logged and passed to {@code onError}, which must not throw. The next step follows. */
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
        } catch (RuntimeException | Error e) {
            Quietly.run(() -> log.error("Lease engine failed in a step; the lease goes on with its next one", e));
            Quietly.run(() -> onError.accept(e));
        }
    }
}
