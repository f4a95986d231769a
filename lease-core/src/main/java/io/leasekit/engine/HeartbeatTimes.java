package io.leasekit.engine;

import static io.leasekit.internal.EngineTime.SECOND;
import static io.leasekit.requests.BoundedClock.drift;

import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.requests.RetryBudget;
import io.leasekit.tenure.Tenure;
import java.util.random.RandomGenerator;

/** The pauses of renewals: their jitter, and those after failures (protocol 5.7, 8). Thread-safe. */
final class HeartbeatTimes {

    private static final double MOST_JITTER = 0.1; // of the interval
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;

    private final LeaseRules rules;
    private final BoundedClock clock;
    private final RetryBudget budget;
    private final RandomGenerator random;

    HeartbeatTimes(LeaseRules rules, BoundedClock clock, RetryBudget budget, RandomGenerator random) {
        this.rules = rules;
        this.clock = clock;
        this.budget = budget;
        this.random = random;
    }

    /** Returns a share of the jitter, up to 1. */
    double share() {
        return random.nextDouble();
    }

    /** Returns by how much this share of the jitter shortens the time between two renewals. */
    static long jitter(LeaseTerms terms, double share) {
        return (long) (terms.heartbeatInterval() * MOST_JITTER * share);
    }

    /** Returns the monotonic time of the stored expiry by the present clock, because it was made with a wrong clock. */
    long whenExpired(Tenure.Attempt attempt, long now) {
        BoundedClock.Interval interval = clock.at(now);
        if (interval == null) {
            return attempt.sent() + attempt.term(); // a clock jumped, so the lease is renewed before it counts as valid
        }
        long left = attempt.expiry() * SECOND - interval.latest();
        return now + left - drift(left);
    }

    /**
     * Returns the pause before the n-th renewal in a row is tried again. It is longer if the budget has no retry left,
     * but not in the last third of the ttl.
     */
    long backoff(int failures, long remaining, LeaseTerms terms) {
        long quarter = Math.max(remaining / 4, MIN_BACKOFF); // keeps retries from getting ever denser
        long longest = Math.min(terms.heartbeatInterval(), quarter);
        boolean mayRetry = rules.isUrgent(remaining, terms.ttl()) || budget.take();
        long pause = Requests.backoff(failures, Math.min(MAX_BACKOFF, longest), random);
        return mayRetry ? pause : Math.max(pause, longest);
    }
}
