package io.leasekit.engine;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wait of an acquire for a turn or a read, and the executor of its steps. If no thread sends, lists of turns and reads
 * keep a wait long after the acquire has ended, so nothing of the acquire can be reached from a wait that is over. Any
 * thread may pass a task or the end of a read; the rest runs in the mailbox of the acquire.
 */
final class Wait<T> implements Executor, Consumer<T> {

    private volatile @Nullable Asking acquire; // null once the wait is over
    private @Nullable Consumer<T> step; // lives in the mailbox

    Wait(Asking acquire, Consumer<T> step) {
        this.acquire = acquire;
        this.step = step;
    }

    /** Runs the task in the mailbox of the acquire; here if the wait is over, because the task ends its turn. */
    @Override
    public void execute(Runnable task) {
        Asking waiting = acquire;
        if (waiting == null) {
            task.run();
        } else {
            waiting.receive(task);
        }
    }

    /** Ends the wait and runs the step. Does nothing if the wait is over. */
    @Override
    public void accept(T value) {
        Asking waiting = acquire;
        Consumer<T> next = step;
        if (waiting != null && next != null) {
            waiting.cancelPause();
            next.accept(value);
        }
    }

    /** Passes the end of a read to the step. */
    void receive(T value) {
        execute(() -> accept(value));
    }

    /** Lets go of the acquire. What comes later does nothing. */
    void end() {
        acquire = null;
        step = null;
    }
}
