package io.leasekit.leader;

import java.time.Duration;

/** The pauses of an election. One stage of the election uses it at a time. */
final class Backoff {

    private final Duration first;
    private final Duration longest;
    private volatile Duration next;

    Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = first.compareTo(longest) > 0 ? first : longest;
        this.next = first;
    }

    Duration first() {
        return first;
    }

    /** Returns the next pause, twice as long as the one before. */
    Duration next() {
        Duration pause = next;
        Duration twice = pause.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
        return pause;
    }

    /** Returns the pause after a term of this length. */
    Duration after(Duration term) {
        if (term.compareTo(longest) >= 0) {
            next = first;
        }
        return next();
    }
}
