package io.leasekit.engine;

import static io.leasekit.engine.BoundedClock.drift;
import static io.leasekit.engine.LeaseRules.SECOND;

import java.util.random.RandomGenerator;

/** The pauses of renewals after failures (protocol 5.7, 8). Thread-safe. */
final class HeartbeatTimes {

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
