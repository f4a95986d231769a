package io.leasekit.spring.call;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task at the first call of {@link #run()}; later calls do nothing. Thread-safe. */
final class RunOnce implements Runnable {

    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();

    RunOnce(Runnable task) {
        this.task = task;
    }

    /**
     * If the executor throws, the submitting thread runs the task, because a dropped task would not release its lease.
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
