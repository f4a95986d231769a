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
 * Limits the number of log lines about single leases and calls, so that the log stays readable during an outage that
 * affects thousands of leases. Thread-safe.
 */
@Internal
public final class LineLimit {

    /**
     * The maximum number of log lines per minute about single leases and calls. Together with the lines about an
     * outage, the log gets at most 20 lines per minute.
     */
    static final int MOST = 15;

    /**
     * The maximum number of lines per minute about lost leases. Log lines about other events do not count towards this
     * maximum.
     */
    static final int MOST_LOST = 100;

    private static final Logger log = LoggerFactory.getLogger(LineLimit.class);
    private static final long MINUTE = 60 * EngineTime.SECOND;

    private final EngineTime time;
    private final BooleanSupplier isOut;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<Long> logged = new ArrayDeque<>();
    private final Deque<Long> lost = new ArrayDeque<>();
    private int hidden;
    private int hiddenLost;
    private boolean hiddenWarning;

    /** {@code isOut}: returns whether a logged outage of the table still lasts. */
    public LineLimit(EngineTime time, BooleanSupplier isOut) {
        this.time = time;
        this.isOut = isOut;
    }

    /** Returns whether a logged outage of the table still lasts. */
    public boolean isOut() {
        return isOut.getAsBoolean();
    }

    /**
     * Runs {@code line}, which writes a warning to the log. If the maximum was reached within the last minute, only
     * counts the warning, and logs the count later.
     */
    public void warn(Runnable line) {
        log(line, beginLine(true));
    }

    /** Runs {@code line}, which logs a lost lease, as {@link #warn} does, but with the maximum for lost leases. */
    public void lost(Runnable line) {
        log(line, beginLost());
    }

    /** Does the same as {@link #warn} for a {@code line} that logs at a lower level than WARN. */
    public void inform(Runnable line) {
        log(line, beginLine(false));
    }

    /**
     * Passes {@code warning} to {@link #warn}. During an outage of the table that is already logged, runs {@code debug}
     * instead of {@code warning}.
     */
    public void warnUnlessOut(Runnable warning, Runnable debug) {
        if (isOut()) {
            Quietly.run(debug);
        } else {
            warn(warning);
        }
    }

    /**
     * Runs {@code line}, which writes a log line that does not report a failure. During a logged outage, the number of
     * lines is limited as by {@link #inform}.
     */
    public void informLimitedIfOut(Runnable line) {
        if (isOut()) {
            inform(line);
        } else {
            Quietly.run(line);
        }
    }

    private void log(Runnable line, long wait) {
        if (wait < 0) {
            Quietly.run(line);
        } else if (wait > 0) {
            time.schedule(wait, this::logHidden);
        }
    }

    /**
     * Returns -1 if the line may be logged. If the line may not be logged, counts the line, and returns the time in
     * nanoseconds after which the count must be logged, or zero if the timer for this count is already set.
     */
    private long beginLine(boolean warning) {
        lock.lock();
        try {
            if (hasRoom(logged, MOST)) {
                return -1;
            }
            hiddenWarning |= warning;
            return hidden++ == 0 ? MINUTE : 0;
        } finally {
            lock.unlock();
        }
    }

    private long beginLost() {
        lock.lock();
        try {
            if (hasRoom(lost, MOST_LOST)) {
                return -1;
            }
            hiddenWarning = true;
            hiddenLost++;
            return hidden++ == 0 ? MINUTE : 0;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom(Deque<Long> lines, int most) {
        long now = time.nanos();
        while (!lines.isEmpty() && now - lines.element() >= MINUTE) {
            lines.remove();
        }
        return lines.size() < most && lines.add(now);
    }

    private void logHidden() {
        int number;
        String ofLost;
        Level level;
        lock.lock();
        try {
            number = hidden;
            level = hiddenWarning ? Level.WARN : Level.INFO;
            ofLost = hiddenLost == 0 ? "" : ", " + hiddenLost + " of them about lost leases";
            hidden = 0;
            hiddenLost = 0;
            hiddenWarning = false;
        } finally {
            lock.unlock();
        }
        Quietly.run(() ->
                log.atLevel(level).log("… and {} more lines about single leases in the last minute{}", number, ofLost));
    }
}
