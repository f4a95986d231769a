package io.leasekit.engine;

import io.leasekit.LeaseLossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The validity of a lease, which its holder may query at any time (protocol 4.1), and the callers that wait for it.
 * Reads are thread-safe; the rest lives in the mailbox of the lease.
 */
final class Validity {

    private final BoundedClock clock;
    private volatile @Nullable Confirmed confirmed;
    private volatile boolean givenBack; // set before the releasing step, which may wait for another one
    private List<CompletableFuture<Void>> waiting = List.of(); // a separate list only while a caller waits

    /**
     * A grant or renewal that a reply has confirmed.
     *
     * @param until the monotonic time at which the lease ends
     * @param expiry the expiry in the table, in epoch nanoseconds of DynamoDB's time
     * @param epoch the number of clock jumps seen before the write was sent
     * @param atLimit whether it ends at the hold limit, which no renewal moves
     */
    record Confirmed(long until, long expiry, int epoch, boolean atLimit) {

        /** Returns the remaining validity, in nanoseconds. */
        long remaining(long now) {
            return until - now;
        }

        /** Returns the time until no more than this is left and a renewal is missing for it, in nanoseconds. */
        long untilAtRisk(long nanosLeft, long now) {
            return atLimit ? Long.MAX_VALUE : remaining(now) - nanosLeft;
        }

        LeaseLossReason reasonOfEnd() {
            return atLimit ? LeaseLossReason.HOLD_LIMIT : LeaseLossReason.EXPIRED;
        }

        /** Returns whether the lease has ended according to either clock. */
        boolean isOver(long now, BoundedClock clock) {
            BoundedClock.Interval interval = clock.at(now);
            return remaining(now) <= 0 || (interval != null && interval.earliest() >= expiry);
        }

        /**
         * Returns whether no clock has jumped since the write. After a jump, only a renewal shows whether the lease is
         * valid.
         */
        boolean isKnown(BoundedClock clock) {
            return epoch == clock.epoch();
        }
    }

    Validity(BoundedClock clock) {
        this.clock = clock;
    }

    // ---- for any thread

    boolean isValid() {
        return isValidAt(clock.now());
    }

    boolean isValidAt(long now) {
        Confirmed current = confirmed;
        return current != null && !givenBack && current.isKnown(clock) && !current.isOver(now, clock);
    }

    /** Returns how long the lease is valid without a renewal; zero if it is not valid. */
    Duration remaining() {
        long now = clock.now();
        Confirmed current = confirmed;
        return isValidAt(now) && current != null
                ? Duration.ofNanos(Math.max(0, current.remaining(now)))
                : Duration.ZERO;
    }

    /** Returns the last confirmation; {@code null}: none yet, or the lease has ended. */
    @Nullable
    Confirmed confirmed() {
        return confirmed;
    }

    boolean isGivenBack() {
        return givenBack;
    }

    /** Notes that the lease is being given back and is no longer valid. Returns whether this is the first call. */
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

    /** Completes the future once a confirmation makes the lease valid. */
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
