package io.leasekit.time;

import io.leasekit.internal.Internal;
import java.util.random.RandomGenerator;

/** The delays after consecutive failures. Thread-safe. */
@Internal
public final class Backoff {

    private static final int MAX_DOUBLINGS = Long.SIZE - 2;

    private Backoff() {}

    /**
     * Returns a random delay between half of the maximum delay and the maximum delay. The maximum delay is
     * {@code firstNanos} after the first failure, and doubles with each failure up to {@code capNanos}.
     *
     * @param failures the number of consecutive failures, at least 1
     */
    public static long nanos(int failures, long firstNanos, long capNanos, RandomGenerator random) {
        int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
        long full = firstNanos > capNanos >> doublings ? capNanos : firstNanos << doublings;
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
