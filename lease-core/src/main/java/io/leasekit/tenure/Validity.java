package io.leasekit.tenure;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows the end of a lease (protocol 4.1), and the callers that wait for a confirmed renewal. The methods that are
 * declared above {@link #confirm} are thread-safe. The lease's {@code Mailbox} calls all other methods, one at a time.
 */
@Internal
public final class Validity {

    private final Rules rules;
    private final BoundedClock clock;
    private volatile @Nullable Confirmed confirmed;
    // The releasing thread sets this field at once, because the release step may have to wait.
    private volatile boolean givenBack;
    private List<Waiter> waiting = List.of();

    /** Decides whether a lease is valid or has ended (protocol 4.1). Thread-safe. */
    public interface Rules {

        /** {@code write}: the last confirmed grant or renewal; {@code now}: a monotonic time. */
        boolean isValid(Confirmed write, long now, BoundedClock clock);

        boolean isOver(Confirmed write, long now, BoundedClock clock);
    }

    /**
     * A grant or renewal that a reply has confirmed.
     *
     * @param until the monotonic time at which the lease ends
     * @param expiry the expiry in the table, in epoch nanoseconds of DynamoDB's time
     * @param epoch the number of clock jumps before the write was sent
     * @param isFinal whether the lease cannot be extended, because {@code holdAtMost} ends at {@code until} or there is
     *     no heartbeat
     */
    public record Confirmed(long until, long expiry, int epoch, boolean isFinal) {

        public static Confirmed of(Tenure.Attempt attempt, long until) {
            return new Confirmed(
                    until,
                    attempt.expiry() * EngineTime.SECOND,
                    attempt.reading().epoch(),
                    false);
        }

        public Confirmed endingBy(long end, boolean isFinal) {
            return end - until <= 0 ? new Confirmed(end, expiry, epoch, isFinal) : this;
        }

        public long remaining(long now) {
            return until - now;
        }

        /** Returns the nanoseconds after which only {@code nanosLeft} nanoseconds of validity remain. */
        public long untilAtRisk(long nanosLeft, long now) {
            return isFinal ? Long.MAX_VALUE : remaining(now) - nanosLeft;
        }
    }

    /** A caller that waits until a renewal makes the lease valid up to the monotonic time {@code until}. */
    private record Waiter(long until, CompletableFuture<Void> future) {}

    public Validity(Rules rules, BoundedClock clock) {
        this.rules = rules;
        this.clock = clock;
    }

    // ---- thread-safe

    public boolean isOver() {
        Confirmed last = confirmed;
        return last != null && rules.isOver(last, clock.now(), clock);
    }

    public boolean isValid() {
        return isValidAt(clock.now());
    }

    public boolean isValidAt(long now) {
        Confirmed current = confirmed;
        return current != null && !givenBack && rules.isValid(current, now, clock);
    }

    public Duration remaining() {
        long now = clock.now();
        Confirmed current = confirmed;
        return isValidAt(now) && current != null
                ? Duration.ofNanos(Math.max(0, current.remaining(now)))
                : Duration.ZERO;
    }

    /** Returns the last confirmed write; {@code null} if no write has been confirmed yet or the lease has ended. */
    @Nullable
    public Confirmed confirmed() {
        return confirmed;
    }

    public boolean isGivenBack() {
        return givenBack;
    }

    /** Returns {@code false} if an earlier call of {@code giveBack} has returned. */
    public boolean giveBack() {
        boolean first = !givenBack;
        givenBack = true;
        return first;
    }

    // ---- called by the mailbox

    public void confirm(Confirmed write) {
        confirmed = write;
        if (!waiting.isEmpty() && isValid()) {
            List<Waiter> served = waiting.stream()
                    .filter(waiter -> write.until - waiter.until >= 0)
                    .toList();
            waiting.removeAll(served);
            served.forEach(waiter -> waiter.future.complete(null));
        }
    }

    /** Returns the longest validity that a waiting caller needs, in nanoseconds after {@code now}. */
    public long needed(long now) {
        long needed = 0;
        for (Waiter waiter : waiting) {
            boolean hasGivenUp = waiter.future.isDone();
            needed = hasGivenUp ? needed : Math.max(needed, waiter.until - now);
        }
        return needed;
    }

    public boolean isAwaited() {
        return waiting.stream().anyMatch(waiter -> !waiter.future.isDone());
    }

    public void end() {
        confirmed = null;
    }

    public void await(long until, CompletableFuture<Void> future) {
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(1);
        }
        waiting.add(new Waiter(until, future));
    }

    public void failWaiting(Supplier<? extends Throwable> error) {
        List<Waiter> failed = waiting;
        waiting = List.of();
        failed.forEach(waiter -> waiter.future.completeExceptionally(error.get()));
    }
}
