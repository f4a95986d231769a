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
 * The clocks of the machine, and a daemon thread for timers. The thread {@code lease-timer} starts when the first timer
 * is set.
 *
 * <p>Nearly all timers are cancelled, most of them soon after they were set. A cancelled timer is removed at once, so
 * that no cancelled timer keeps a lease in memory. The timer thread sleeps until the earliest due time of the timers
 * that were set when it began to sleep. Cancelling a timer, or adding a timer with a later due time, does not wake the
 * timer thread: waking it would be the largest cost of a short lease.
 *
 * <p>Closing this clock drops no timer, because a caller might wait for the timer's effect. {@link #close()} makes all
 * timers due immediately, so that no timer keeps the thread alive for long. Timers that are set after {@link #close()}
 * run at their normal times. After {@link #close()}, the timer thread ends when no timer is left.
 */
@Internal
public final class SystemTime implements EngineTime, AutoCloseable {

    /**
     * The longest delay of a timer: 146 years. Two due times can be compared by subtraction if they differ by at most
     * {@code LONGEST}.
     */
    private static final long LONGEST = Long.MAX_VALUE / 2;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Condition changed = lock.newCondition();
    private final TimerHeap timers = new TimerHeap();
    private final Consumer<TimerHeap.Entry> onCancelled = this::removeCancelled;
    private final Queue<TimerHeap.Entry> early = new ArrayDeque<>(); // timers that the close made due
    private @Nullable Thread thread;
    private TimerHeap.@Nullable Entry awaited; // the thread sleeps until this timer, even if cancelled; null: any timer
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
            thread = started; // after start(), which fails if the machine has no thread left
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
            } catch (Throwable e) { // whatever a task throws, the other timers still run
                Quietly.complain(e);
            }
        }
    }

    /**
     * Waits until a timer is due and returns the timer. Returns {@code null} if the clock is closed and has no timer
     * left.
     */
    private TimerHeap.@Nullable Entry awaitDue() {
        lock.lock();
        try {
            while (true) {
                TimerHeap.Entry due = nextDue();
                if (due != null) {
                    return due;
                }
                if (awaited == null && closed) {
                    thread = null; // the next timer starts a new thread
                    return null;
                }
                sleep(awaited);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the next timer that is due; {@code null} if no timer is due. */
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

    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private void sleep(TimerHeap.@Nullable Entry until) {
        try {
            if (until == null) {
                changed.await();
            } else {
                changed.awaitNanos(until.due() - System.nanoTime());
            }
        } catch (InterruptedException e) {
            // a task or other code interrupted this thread; no timer is lost
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
