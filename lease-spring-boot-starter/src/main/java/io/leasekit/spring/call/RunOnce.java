package io.leasekit.spring.call;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task at the first call of {@link #run()}. Later calls of {@code run()} do nothing. Thread-safe. */
final class RunOnce implements Runnable {

    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();

    RunOnce(Runnable task) {
        this.task = task;
    }

    /**
     * Returns an executor for tasks that must not be dropped, because they release leases. If the given executor throws
     * anything, the thread that submits the task runs the task.
     */
    static Executor onOrHere(Executor executor) {
        return task -> {
            RunOnce once = new RunOnce(task);
            try {
                executor.execute(once);
            } catch (Throwable e) {
                once.run();
            }
        };
    }

    @Override
    public void run() {
        if (begun.compareAndSet(false, true)) {
            task.run();
        }
    }
}
