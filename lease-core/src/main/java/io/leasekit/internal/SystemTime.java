package io.leasekit.internal;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The machine's clocks and one daemon thread, {@code lease-timer}, made at the first use.
 *
 * <p>Most timers are cancelled, soon after they were set. A cancelled one stays in the queue, empty, until its time: so the
 * queue has a head, and a later timer does not wake the thread, which would cost more than all else in a short lease. When
 * many have been cancelled they are removed together.
 */
@Internal
public final class SystemTime implements EngineTime, AutoCloseable {

    /** So many cancelled timers are kept, or as many as are half of the queue. */
    static final int KEPT = 1_000;

    private final ScheduledThreadPoolExecutor timer;
    private final AtomicInteger cancelled = new AtomicInteger(); // since they were last removed

    /** Starts no thread before its first use. */
    public SystemTime() {
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "lease-timer");
            thread.setDaemon(true);
            return thread;
        });
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
            return () -> cancel(scheduled);
        } catch (RejectedExecutionException e) {
            return () -> {}; // the manager is closed, and with it all that could still want to run
        }
    }

    /** What is cancelled lets go of its task, and with it of the lease. */
    private void cancel(Future<?> scheduled) {
        if (scheduled.cancel(false)) {
            int count = cancelled.incrementAndGet();
            if (count > KEPT && count > queued() / 2 && cancelled.compareAndSet(count, 0)) {
                timer.purge();
            }
        }
    }

    /** Returns how many timers are in the queue, with those that were cancelled. */
    int queued() {
        return timer.getQueue().size();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
