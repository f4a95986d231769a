package io.leasekit;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** When the store last did what was asked, and since when it does not. Thread-safe. */
final class Traffic {

    /**
     * Monotonic times; {@code null}: there was no such request.
     *
     * @param success of the last request that did not fail
     * @param failure of the last one that did
     * @param failing of the first one that failed after the last success
     */
    record State(
            @Nullable Long success,
            @Nullable Long failure,
            @Nullable Long failing) {

        private State after(long now, boolean failed) {
            return failed
                    ? new State(success, now, failing == null ? Long.valueOf(now) : failing)
                    : new State(now, failure, null);
        }
    }

    private final ReentrantLock lock = new ReentrantLock(); // of writers
    private volatile State state = new State(null, null, null);

    void answered(long now, LeaseMeasurement.RequestOutcome outcome) {
        lock.lock();
        try {
            state = state.after(now, outcome.isFailure());
        } finally {
            lock.unlock();
        }
    }

    State state() {
        return state;
    }

    static @Nullable Duration since(@Nullable Long then, long now) {
        return then == null ? null : Duration.ofNanos(Math.max(0, now - then));
    }
}
