package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One question for DynamoDB's time, which is read again while the store fails, for as long as the store timeout (4.2). */
final class TimeQuery {

    /** Read where no reply has told the time yet; that there is no such item does not matter. */
    private static final String KEY = "leasekit-time";

    private static final long MAX_BACKOFF = SECOND;

    private final LeaseEngine engine;
    private final long begun;
    private final CompletableFuture<Instant> result = new CompletableFuture<>();
    private int failures; // touched by one step at a time

    TimeQuery(LeaseEngine engine) {
        this.engine = engine;
        this.begun = engine.clock.now();
    }

    /** Completes with the middle of the interval that surely holds the time, or with the store's failure. */
    CompletableFuture<Instant> result() {
        ask();
        return result;
    }

    private void ask() {
        BoundedClock.Reading reading = engine.rules.beforeAcquire(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(KEY, this::onSynced);
        } else {
            result.complete(Instant.ofEpochMilli(reading.middleMillis()));
        }
    }

    private void onSynced(@Nullable LeaseStoreException failure) {
        if (failure == null) {
            ask();
            return;
        }
        failures++;
        long delay = Backoff.delayNanos(failures, MAX_BACKOFF, engine.random);
        if (engine.clock.now() - begun + delay > LeaseTerms.nanos(engine.settings.storeTimeout())) {
            result.completeExceptionally(failure);
        } else {
            engine.time.schedule(delay, this::ask);
        }
    }
}
