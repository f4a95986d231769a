package io.leasekit.spring.actuate;

import io.leasekit.internal.BriefLock;
import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;

/**
 * The smallest value that was recorded in the current or the previous minute; {@code NaN} without a value. Thread-safe.
 */
final class RecentMinimum {

    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    private final Clock clock;
    private final BriefLock lock = new BriefLock();
    private long begun; // guarded by lock, like the following fields
    private double current = Double.NaN;
    private double previous = Double.NaN;

    RecentMinimum(Clock clock) {
        this.clock = clock;
        this.begun = clock.monotonicTime();
    }

    void record(double value) {
        lock.run(() -> {
            moveOn();
            current = smaller(current, value);
        });
    }

    double value() {
        return lock.get(() -> {
            moveOn();
            return smaller(current, previous);
        });
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
