package io.leasekit;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks and one daemon thread, {@code lease-timer}, made at the first use. */
final class SystemTime implements EngineTime, AutoCloseable {

    private final ScheduledThreadPoolExecutor timer;

    SystemTime() {
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "lease-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        try {
            Future<?> scheduled = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {}; // the manager is closed, and with it all that could still want to run
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
