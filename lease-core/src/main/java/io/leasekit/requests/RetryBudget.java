package io.leasekit.requests;

import io.leasekit.internal.BriefLock;

/**
 * Limits retries of renewals, acquires and reads to about a tenth of the answered requests, so that retries do not add
 * to an overload (protocol 8). Thread-safe.
 */
final class RetryBudget {

    private static final double SHARE = 0.1;
    private static final double RESERVE = 50;

    private final BriefLock lock = new BriefLock();
    private double retries = RESERVE;

    void answered() {
        lock.run(() -> retries = Math.min(RESERVE, retries + SHARE));
    }

    public boolean take() {
        return lock.get(() -> {
            boolean left = retries >= 1;
            retries -= left ? 1 : 0;
            return left;
        });
    }
}
