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
 * The clocks of the machine and one daemon thread for timers, {@code lease-timer}, which is started at the first use.
 *
 * <p>Nearly all timers are cancelled, most of them soon after they were set. A cancelled timer is removed at once, so
 * it keeps nothing of its lease. The thread sleeps until the time that it last computed. Neither a cancelled timer nor
 * a later one wakes it, because waking it would be the largest cost of a short lease.
 *
 * <p>The close drops no timer, because a caller may wait for its effect. It makes all of them due, so that no thread
 * stays alive for a timer in the far future. Timers that are set later run in their time. After the close, the thread
 * ends when there is no timer.
 */
@Internal
public final class SystemTime implements EngineTime, AutoCloseable {

    /** 146 years: times of the queue stay comparable by subtraction. */
    private static final long LONGEST = Long.MAX_VALUE / 2;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Condition changed = lock.newCondition();
    private final TimerHeap timers = new TimerHeap();
    private final Consumer<TimerHeap.Entry> onCancelled = this::removeCancelled;
    private final Queue<TimerHeap.Entry> early = new ArrayDeque<>(); // that the close made due
    private @Nullable Thread thread;
    private TimerHeap.@Nullable Entry awaited; // what the thread sleeps for, cancelled or not; null: for any timer
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
            thread = started; // after the start, which fails if the machine has no thread left
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
            } catch (Throwable e) { // of a task, or for want of memory: the other timers go on
                Quietly.complain(e);
            }
        }
    }

    /** Returns the next timer when it is due; {@code null}: this is closed, and the thread ends. */
    private TimerHeap.@Nullable Entry awaitDue() {
        lock.lock();
        try {
            while (true) {
                TimerHeap.Entry due = nextDue();
                if (due != null) {
                    return due;
                }
                if (awaited == null && closed) {
                    thread = null; // the next timer starts another one
                    return null;
                }
                sleep(awaited);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the next timer that is due; {@code null}: none is, and the thread sleeps for {@code awaited}. */
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
            // by a task, or by someone who does not know this thread: no timer is lost by it
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

    /** Returns the number of timers that are set and not due. */
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
