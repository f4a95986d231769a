package io.leasekit.log;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.time.EngineTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Limits the log lines about single leases and calls, so that the log of an outage with thousands of them stays
 * readable. Thread-safe.
 */
@Internal
public final class LineLimit {

    /** Leaves room for the lines of the outage itself within 20 a minute. */
    static final int MOST = 15;

    private static final Logger log = LoggerFactory.getLogger(LineLimit.class);
    private static final long MINUTE = 60 * EngineTime.SECOND;

    private final EngineTime time;
    private final BooleanSupplier isOut;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<Long> logged = new ArrayDeque<>();
    private int hidden;
    private boolean hiddenWarning;

    /** {@code isOut}: whether an outage of the table was logged that has not ended. */
    public LineLimit(EngineTime time, BooleanSupplier isOut) {
        this.time = time;
        this.isOut = isOut;
    }

    /** Returns whether an outage of the table was logged that has not ended. */
    public boolean isOut() {
        return isOut.getAsBoolean();
    }

    /**
     * Runs the action that logs a warning. If too many lines were logged within a minute, it only counts the warning,
     * and the number is logged later.
     */
    public void warn(Runnable line) {
        log(line, true);
    }

    /** As {@link #warn}, for a line that is no warning. */
    public void inform(Runnable line) {
        log(line, false);
    }

    /** Logs a warning, but in DEBUG during an outage that was logged, because the outage is its cause. */
    public void warnUnlessOut(Runnable warning, Runnable debug) {
        if (isOut()) {
            Quietly.run(debug);
        } else {
            warn(warning);
        }
    }

    /** Runs the action that logs a line other than a failure. It is limited only during an outage. */
    public void informLimitedIfOut(Runnable line) {
        if (isOut()) {
            inform(line);
        } else {
            Quietly.run(line);
        }
    }

    private void log(Runnable line, boolean warning) {
        long wait = beginLine(warning);
        if (wait < 0) {
            Quietly.run(line);
        } else if (wait > 0) {
            time.schedule(wait, this::logHidden);
        }
    }

    /** Returns -1 if the line may be logged, the time after which the number is to be logged, or zero if it will be. */
    private long beginLine(boolean warning) {
        lock.lock();
        try {
            long now = time.nanos();
            while (!logged.isEmpty() && now - logged.element() >= MINUTE) {
                logged.remove();
            }
            if (logged.size() < MOST) {
                logged.add(now);
                return -1;
            }
            hiddenWarning |= warning;
            return hidden++ == 0 ? MINUTE : 0;
        } finally {
            lock.unlock();
        }
    }

    private void logHidden() {
        int number;
        Level level;
        lock.lock();
        try {
            number = hidden;
            level = hiddenWarning ? Level.WARN : Level.INFO;
            hidden = 0;
            hiddenWarning = false;
        } finally {
            lock.unlock();
        }
        Quietly.run(() -> log.atLevel(level).log("… and {} more lines about single leases in the last minute", number));
    }
}
