package io.leasekit.spring.call;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task at its first call. Later calls do nothing. Thread-safe. */
final class RunOnce implements Runnable {

    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();

    RunOnce(Runnable task) {
        this.task = task;
    }

    /**
     * Returns an executor that runs a task on the calling thread if this one throws, whatever it throws: a task that does
     * not run leaves a lease without a call.
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
