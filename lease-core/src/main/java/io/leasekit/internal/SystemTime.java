package io.leasekit.internal;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of the machine and a scheduler with one daemon thread, {@code lease-timer}, which is started at the first use.
 *
 * <p>Most timers are cancelled soon after they were set. A cancelled timer stays in the queue, without its task, until it is
 * due. So the queue keeps its head, and a later timer does not wake the thread, which would be the largest cost of a short
 * lease. Once many timers are cancelled, they are removed together.
 */
@Internal
public final class SystemTime implements EngineTime, AutoCloseable {

    /** The number of cancelled timers that are kept in a queue of less than twice this size; in a larger one, half of it. */
    static final int KEPT = 1_000;

    private final ScheduledThreadPoolExecutor timer;
    private final AtomicInteger cancelled = new AtomicInteger(); // since the last purge

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
        Scheduled scheduled = new Scheduled(task);
        try {
            scheduled.future = timer.schedule(scheduled, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // closed: nothing is left to run
        }
        return scheduled;
    }

    /** A task and its timer in one object, because each of thousands of waiters has one. */
    private final class Scheduled implements Callable<Boolean>, Timer {

        private volatile @Nullable Runnable task; // null once cancelled: a timer may outlive its lease
        private @Nullable Future<?> future; // set before anyone sees this timer

        Scheduled(Runnable task) {
            this.task = task;
        }

        @Override
        public Boolean call() {
            Runnable due = task;
            if (due != null) {
                due.run();
            }
            return true;
        }

        @Override
        public void cancel() {
            task = null;
            if (future != null) {
                SystemTime.this.cancel(future);
            }
        }
    }

    /** A cancelled future releases its task, so the queue keeps no lease reachable. */
    private void cancel(Future<?> scheduled) {
        if (scheduled.cancel(false)) {
            int count = cancelled.incrementAndGet();
            if (count > KEPT && count > queued() / 2 && cancelled.compareAndSet(count, 0)) {
                timer.purge();
            }
        }
    }

    /** Returns the number of timers in the queue, including cancelled ones. */
    int queued() {
        return timer.getQueue().size();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
