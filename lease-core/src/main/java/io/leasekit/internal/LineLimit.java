package io.leasekit.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits the log lines about single leases, so that an outage with thousands of them can be read. Thread-safe. */
@Internal
public final class LineLimit {

    /** Leaves room for the lines of the outage itself within 20 a minute. */
    static final int MOST = 15;

    private static final Logger log = LoggerFactory.getLogger(LineLimit.class);
    private static final long MINUTE = 60 * EngineTime.SECOND;

    private final EngineTime time;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<Long> logged = new ArrayDeque<>();
    private int hidden;

    public LineLimit(EngineTime time) {
        this.time = time;
    }

    /** Runs what logs a line, or counts it if too many were logged within a minute; the number is logged later. */
    public void log(Runnable line) {
        long wait = beginLine();
        if (wait < 0) {
            Quietly.run(line);
        } else if (wait > 0) {
            time.schedule(wait, this::logHidden);
        }
    }

    /** Returns -1 if the line may be logged, the time after which the number is to be logged, or zero if it will be. */
    private long beginLine() {
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
            return hidden++ == 0 ? MINUTE : 0;
        } finally {
            lock.unlock();
        }
    }

    private void logHidden() {
        int number;
        lock.lock();
        try {
            number = hidden;
            hidden = 0;
        } finally {
            lock.unlock();
        }
        Quietly.run(() -> log.warn("… and {} more lines about single leases in the last minute", number));
    }
}
