package io.leasekit.log;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.time.EngineTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Limits the number of log lines about single leases and calls, because an outage can affect thousands of leases.
 * Thread-safe.
 */
@Internal
public final class LineLimit {

    /** The maximum number of lines per minute. An outage adds at most five lines. */
    static final int MOST = 15;

    /** The maximum number of lines per minute about lost leases, which are counted separately. */
    static final int MOST_LOST = 100;

    private static final Logger log = LoggerFactory.getLogger(LineLimit.class);
    private static final long MINUTE = 60 * EngineTime.SECOND;

    private final EngineTime time;
    private final BooleanSupplier isOut;
    private final BriefLock lock = new BriefLock(); // guards the fields below
    private final Deque<Long> logged = new ArrayDeque<>();
    private final Deque<Long> lost = new ArrayDeque<>();
    private int hidden;
    private int hiddenLost;
    private boolean hiddenWarning;

    /** {@code isOut} returns whether a logged outage of the table still lasts. */
    public LineLimit(EngineTime time, BooleanSupplier isOut) {
        this.time = time;
        this.isOut = isOut;
    }

    public boolean isOut() {
        return isOut.getAsBoolean();
    }

    /** Runs {@code line}; if the limit is reached, only counts the line and logs the count later. */
    public void warn(Runnable line) {
        log(line, beginLine(true));
    }

    public void lost(Runnable line) {
        log(line, beginLost());
    }

    public void inform(Runnable line) {
        log(line, beginLine(false));
    }

    public void warnUnlessOut(Runnable warning, Runnable debug) {
        if (isOut()) {
            Quietly.run(debug);
        } else {
            warn(warning);
        }
    }

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
     * Returns -1 if the line may be logged. Otherwise returns the delay of the next report in nanoseconds, or 0 if the
     * report is already scheduled.
     */
    private long beginLine(boolean warning) {
        return lock.get(() -> {
            if (hasRoom(logged, MOST)) {
                return -1L;
            }
            hiddenWarning |= warning;
            return hidden++ == 0 ? MINUTE : 0L;
        });
    }

    private long beginLost() {
        return lock.get(() -> {
            if (hasRoom(lost, MOST_LOST)) {
                return -1L;
            }
            hiddenWarning = true;
            hiddenLost++;
            return hidden++ == 0 ? MINUTE : 0L;
        });
    }

    private boolean hasRoom(Deque<Long> lines, int most) {
        long now = time.nanos();
        while (!lines.isEmpty() && now - lines.element() >= MINUTE) {
            lines.remove();
        }
        return lines.size() < most && lines.add(now);
    }

    private void logHidden() {
        Runnable line = lock.get(() -> {
            int number = hidden;
            Level level = hiddenWarning ? Level.WARN : Level.INFO;
            String ofLost = hiddenLost == 0 ? "" : ", " + hiddenLost + " of them about lost leases";
            hidden = 0;
            hiddenLost = 0;
            hiddenWarning = false;
            return () -> log.atLevel(level)
                    .log("… and {} more lines about single leases in the last minute{}", number, ofLost);
        });
        Quietly.run(line);
    }
}
