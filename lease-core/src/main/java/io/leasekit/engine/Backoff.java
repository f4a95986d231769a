package io.leasekit.engine;

import java.util.random.RandomGenerator;

/** How long to wait after the n-th failure in a row: doubling from 50 ms to a cap, half of it at random. */
final class Backoff {

    private static final long FIRST_NANOS = 50_000_000L;
    private static final int MAX_DOUBLINGS = 10;

    private Backoff() {}

    static long delayNanos(int failures, long capNanos, RandomGenerator random) {
        long full = Math.min(capNanos, FIRST_NANOS << Math.min(failures - 1, MAX_DOUBLINGS));
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
