package io.leasekit.time;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of the machine, and a daemon thread for timers.
 *
 * <p>A cancelled timer is removed at once, so that the timer does not keep a lease in memory. Cancelling a timer does
 * not wake the timer thread: waking the thread would be the largest cost of a short lease.
 *
 * <p>{@link #close()} makes all timers due at once instead of dropping them, because a caller may wait for a timer's
 * effect.
 */
@Internal
public final class SystemTime implements EngineTime, AutoCloseable {

    /** Limits the delay of a timer to 146 years, so that due times can be compared by subtraction. */
    private static final long LONGEST = Long.MAX_VALUE / 2;

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Condition changed = lock.newCondition();
    private final TimerHeap timers = new TimerHeap();
    private final Consumer<TimerHeap.Entry> onCancelled = this::removeCancelled;
    private final Queue<TimerHeap.Entry> early = new ArrayDeque<>();
    private @Nullable Thread thread;
    // The timer until which the thread sleeps, even if the timer is cancelled; null without a timer.
    private TimerHeap.@Nullable Entry awaited;
    private boolean closed;

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
        long delay = Math.min(Math.max(0, delayNanos), LONGEST);
        TimerHeap.Entry timer = new TimerHeap.Entry(System.nanoTime() + delay, task, onCancelled);
        lock.lock();
        try {
            start();
            timers.add(timer);
            wakeFor(timer);
        } finally {
            lock.unlock();
        }
        return timer;
    }

    private void start() {
        if (thread == null) {
            Thread started = new Thread(null, this::run, "lease-timer", 0, false);
            started.setDaemon(true);
            started.start();
            // This line follows start(), which fails if the machine cannot start another thread.
            thread = started;
        }
    }

    private void wakeFor(TimerHeap.Entry timer) {
        if (awaited == null || timer.due() - awaited.due() < 0) {
            awaited = timer;
            changed.signal();
        }
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                TimerHeap.Entry due = awaitDue();
                goesOn = due != null;
                if (due != null) {
                    due.run();
                }
            } catch (Throwable e) {
                // An exception or error of one task must not stop the timers of other tasks.
                Quietly.complain(e);
            }
        }
    }

    /** Returns {@code null} if the clock is closed and has no timer left. */
    private TimerHeap.@Nullable Entry awaitDue() {
        lock.lock();
        try {
            while (true) {
                TimerHeap.Entry due = nextDue();
                if (due != null) {
                    return due;
                }
                if (awaited == null && closed) {
                    thread = null;
                    return null;
                }
                sleep(awaited);
            }
        } finally {
            lock.unlock();
        }
    }

    private TimerHeap.@Nullable Entry nextDue() {
        if (!early.isEmpty()) {
            return early.remove();
        }
        awaited = timers.first();
        if (awaited == null || awaited.due() - System.nanoTime() > 0) {
            return null;
        }
        timers.remove(awaited);
        return awaited;
    }

    // The caller, awaitDue(), waits in a loop.
    @SuppressWarnings("WaitNotInLoop")
    private void sleep(TimerHeap.@Nullable Entry until) {
        try {
            if (until == null) {
                changed.await();
            } else {
                changed.awaitNanos(until.due() - System.nanoTime());
            }
        } catch (InterruptedException e) {
            // A task or other code has interrupted this thread, but the interrupt loses no timer.
        }
    }

    private void removeCancelled(TimerHeap.Entry timer) {
        lock.lock();
        try {
            timers.remove(timer);
        } finally {
            lock.unlock();
        }
    }

    int queued() {
        lock.lock();
        try {
            return timers.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            for (TimerHeap.Entry first = timers.first(); first != null; first = timers.first()) {
                timers.remove(first);
                early.add(first);
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
