package io.leasekit.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bucket of tokens that admits a number of writes per second and saves those of one second. A request is admitted
 * while the bucket is not empty and may overdraw it, so large requests are not at a disadvantage. Thread-safe.
 */
final class WriteCapacity {

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final int perSecond;
    private double tokens;
    private long filled;

    WriteCapacity(int perSecond, long now) {
        this.perSecond = perSecond;
        this.tokens = perSecond;
        this.filled = now;
    }

    /** Returns whether these writes are admitted at this monotonic time, and takes their tokens. */
    boolean admits(int writes, long now) {
        lock.lock();
        try {
            double since = Math.max(0, now - filled);
            filled = since > 0 ? now : filled;
            tokens = Math.min(perSecond, tokens + perSecond * since / SECOND);
            if (tokens <= 0) {
                return false;
            }
            tokens -= writes;
            return true;
        } finally {
            lock.unlock();
        }
    }
}
