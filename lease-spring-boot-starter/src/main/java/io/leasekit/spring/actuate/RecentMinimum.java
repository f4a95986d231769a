package io.leasekit.spring.actuate;

import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The smallest value that was recorded in the current or the previous minute; {@code NaN} without a value. Thread-safe.
 */
final class RecentMinimum {

    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private long begun; // guarded by lock, like the following fields
    private double current = Double.NaN;
    private double previous = Double.NaN;

    RecentMinimum(Clock clock) {
        this.clock = clock;
        this.begun = clock.monotonicTime();
    }

    void record(double value) {
        lock.lock();
        try {
            moveOn();
            current = smaller(current, value);
        } finally {
            lock.unlock();
        }
    }

    double value() {
        lock.lock();
        try {
            moveOn();
            return smaller(current, previous);
        } finally {
            lock.unlock();
        }
    }

    private void moveOn() {
        long windows = (clock.monotonicTime() - begun) / WINDOW;
        if (windows > 0) {
            previous = windows == 1 ? current : Double.NaN;
            current = Double.NaN;
            begun += windows * WINDOW;
        }
    }

    private static double smaller(double a, double b) {
        return Double.isNaN(a) || b < a ? b : a;
    }
}
