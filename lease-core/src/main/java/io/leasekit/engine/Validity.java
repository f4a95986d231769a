package io.leasekit.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a lease is valid, as its holder may ask at any time (protocol 4.1), and those who wait for it to be. Reads are
 * thread-safe; the rest lives in the lease's mailbox.
 */
final class Validity {

    private final BoundedClock clock;
    private volatile @Nullable Confirmed confirmed;
    private volatile boolean givenBack; // before the step that releases, which may have to wait for another one
    private List<CompletableFuture<Void>> waiting = List.of(); // a list of its own only while somebody waits

    /**
     * A grant or renewal that the table was seen to show.
     *
     * @param until the monotonic time at which the lease ends
     * @param expiry what the table shows, in epoch nanoseconds of DynamoDB's time
     * @param epoch the number of clock jumps that had been seen when the write was made
     */
    record Confirmed(long until, long expiry, int epoch) {

        /** Returns how long the lease lasts, in nanoseconds. */
        long remaining(long now) {
            return until - now;
        }

        /** Returns how long it takes until no more than this is left. */
        long untilLeft(long nanos, long now) {
            return remaining(now) - nanos;
        }

        /** Returns whether the lease has ended, by either clock. */
        boolean isOver(long now, BoundedClock clock) {
            BoundedClock.Interval interval = clock.at(now);
            return remaining(now) <= 0 || (interval != null && interval.earliest() >= expiry);
        }

        /** Returns whether no clock has jumped since the write; otherwise only a renewal can tell. */
        boolean isKnown(BoundedClock clock) {
            return epoch == clock.epoch();
        }
    }

    Validity(BoundedClock clock) {
        this.clock = clock;
    }

    // ---- for anybody

    boolean isValid() {
        return isValidAt(clock.now());
    }

    boolean isValidAt(long now) {
        Confirmed current = confirmed;
        return current != null && !givenBack && current.isKnown(clock) && !current.isOver(now, clock);
    }

    /** Returns how long the lease is valid without a renewal; zero when it is not valid. */
    Duration remaining() {
        long now = clock.now();
        Confirmed current = confirmed;
        return isValidAt(now) && current != null
                ? Duration.ofNanos(Math.max(0, current.remaining(now)))
                : Duration.ZERO;
    }

    /** Returns what was confirmed last; {@code null}: nothing yet, or the lease has ended. */
    @Nullable
    Confirmed confirmed() {
        return confirmed;
    }

    boolean isGivenBack() {
        return givenBack;
    }

    /** Notes that the lease is being given back: it is not valid any more. Returns whether this is the first time. */
    boolean giveBack() {
        boolean first = !givenBack;
        givenBack = true;
        return first;
    }

    // ---- steps of the lease

    void confirm(Confirmed write) {
        confirmed = write;
        if (!waiting.isEmpty() && isValid()) {
            takeWaiting().forEach(waiter -> waiter.complete(null));
        }
    }

    void end() {
        confirmed = null;
    }

    /** Completes the future with the confirmation that makes the lease valid. */
    void await(CompletableFuture<Void> waiter) {
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(1);
        }
        waiting.add(waiter);
    }

    void failWaiting(Supplier<? extends Throwable> error) {
        takeWaiting().forEach(waiter -> waiter.completeExceptionally(error.get()));
    }

    private List<CompletableFuture<Void>> takeWaiting() {
        List<CompletableFuture<Void>> taken = waiting;
        waiting = List.of();
        return taken;
    }
}
