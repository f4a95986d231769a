package io.leasekit.leader;

import io.leasekit.time.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses between the campaigns of one election. Half of each pause is random, so that the campaigns of several
 * nodes do not begin together. The election uses this object on one thread at a time.
 */
final class Backoffs {

    private static final Duration LONG_TERM = Duration.ofMinutes(1);

    private final Duration first;
    private final Duration longest;
    private final RandomGenerator random;
    private volatile int inARow;

    Backoffs(Duration first, RandomGenerator random) {
        this.first = first;
        this.longest = first.compareTo(LONG_TERM) > 0 ? first : LONG_TERM;
        this.random = random;
    }

    Duration first() {
        return pause(1);
    }

    Duration next() {
        int number = inARow + 1;
        inARow = Math.min(number, Integer.MAX_VALUE - 1);
        return pause(number);
    }

    Duration after(Term.End term) {
        if (term.inOrder() || term.length().compareTo(longest) >= 0) {
            inARow = 0;
        }
        return next();
    }

    private Duration pause(int number) {
        return Duration.ofNanos(Backoff.nanos(number, first.toNanos(), longest.toNanos(), random));
    }
}
