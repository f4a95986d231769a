package io.leasekit.time;

import io.leasekit.internal.Internal;
import java.util.random.RandomGenerator;

/** The delays after consecutive failures. Thread-safe. */
@Internal
public final class Backoff {

    private static final int MAX_DOUBLINGS = Long.SIZE - 2;

    private Backoff() {}

    /**
     * Returns the delay after {@code failures} consecutive failures. The maximum delay doubles with each failure, up to
     * {@code capNanos}. The returned delay is a random time between half of the maximum delay and the maximum delay.
     *
     * @param failures the number of failures, at least 1
     * @param firstNanos the maximum delay after the first failure, in nanoseconds
     * @param capNanos the cap of the maximum delay, in nanoseconds
     * @param random the source of the random part of the delay
     */
    public static long nanos(int failures, long firstNanos, long capNanos, RandomGenerator random) {
        int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
        long full = firstNanos > capNanos >> doublings ? capNanos : firstNanos << doublings;
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
