package io.leasekit.kernel;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeasePause;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.LeaseWait;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.Requests;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of an acquire that concerns its caller: the time of the call, the wait and the result. {@link Acquisition}
 * extends this class, so that each of thousands of waiting calls needs one object less.
 */
@Internal
public abstract class AcquireCall {

    private static final long NOT_WAITING = Long.MIN_VALUE;

    public final LeaseSpec spec;
    public final EngineTime time;
    public final LeaseReports reports;
    private final long called;
    private final Outcome result = new Outcome();
    private volatile long waitingSince = NOT_WAITING;
    private volatile Sender.@Nullable Sending sending;

    /**
     * {@code sending}: sends requests on the caller's thread; {@code null} if the caller does not block.
     * {@code called}: the monotonic time of the call.
     */
    public AcquireCall(
            LeaseSpec spec, EngineTime time, LeaseReports reports, Sender.@Nullable Sending sending, long called) {
        this.spec = spec;
        this.time = time;
        this.reports = reports;
        this.called = called;
        this.sending = sending;
    }

    public abstract UUID id();

    /** If the lease has already been granted, releases the lease. */
    public abstract void cancel(LeaseException why);

    /** Ends this call when the manager closes, but a caller that already has the lease keeps the lease. */
    public abstract void stop(LeaseException why);

    public final void cancel() {
        cancel(new LeaseException("Acquire of lease " + spec.name() + " was cancelled", null));
    }

    /**
     * The future never completes exceptionally: an error is a {@link Failed} result. The future may complete on any
     * thread.
     */
    public final CompletableFuture<Result> result() {
        return result;
    }

    public final Result await(ResultDelivery delivery) {
        if (result.isDone()) {
            return result.join();
        }
        try {
            return delivery.await(result, "lease " + spec.name());
        } catch (LeaseInterruptedException e) {
            cancel(e);
            throw e;
        }
    }

    /** A second consumer replaces the first. */
    public final void whenEnded(Consumer<Result> consumer) {
        result.passTo(consumer);
    }

    /**
     * A future that passes its value to one consumer. Compared with {@code thenAccept}, this class saves two objects
     * for each call.
     */
    private static final class Outcome extends CompletableFuture<Result> {

        @SuppressWarnings({"unchecked", "rawtypes"}) // a class literal has no type argument
        private static final AtomicReferenceFieldUpdater<Outcome, @Nullable Consumer<Result>> CONSUMER =
                (AtomicReferenceFieldUpdater)
                        AtomicReferenceFieldUpdater.newUpdater(Outcome.class, Consumer.class, "consumer");

        private volatile @Nullable Consumer<Result> consumer;

        void passTo(Consumer<Result> one) {
            consumer = one;
            if (isDone()) {
                pass(join());
            }
        }

        @Override
        public boolean complete(Result result) {
            boolean first = super.complete(result);
            if (first) {
                pass(result);
            }
            return first;
        }

        private void pass(Result result) {
            Consumer<Result> once = consumer;
            if (once != null && CONSUMER.compareAndSet(this, once, null)) {
                Quietly.run(() -> once.accept(result));
            }
        }
    }

    public final long called() {
        return called;
    }

    final Sender.@Nullable Sending sending() {
        return sending;
    }

    /** Lets sender threads send all further requests, because the caller's thread only waits for the result. */
    final void leaveSending() {
        sending = null;
    }

    public final boolean hasWait() {
        return spec.waitFor() > 0;
    }

    /** Returns the monotonic time at which this call stops waiting for a lease of another owner. */
    public final long waitsUntil() {
        return called + spec.waitFor();
    }

    /** Returns the nanoseconds for which this call waits for a first reply. */
    public final long untilLastReply(long now, long storeTimeout) {
        // Monotonic times may wrap, so the differences from 'now' are compared.
        return Math.max(waitsUntil() + Requests.TIMEOUT - now, called + storeTimeout - now);
    }

    /**
     * Returns the monotonic time at which this call stops retrying failed requests, unless the store timeout ends
     * later.
     */
    final long persistsUntil() {
        return called + spec.patience();
    }

    public final void beginWaiting(long now) {
        if (waitingSince == NOT_WAITING) {
            waitingSince = now;
        }
    }

    /** Returns {@code null} for the acquire of a permit, because its {@code PermitCall} shows the wait. */
    final @Nullable LeaseWait waiting(long now) {
        long since = waitingSince;
        return since == NOT_WAITING || result.isDone() || spec.permit() != null
                ? null
                : new LeaseWait(spec.key(), spec.meterName(), Duration.ofNanos(now - since));
    }

    /** Returns the last known reason why this call has no lease yet. */
    public AcquireObstacle.Seen seen() {
        return new AcquireObstacle.Seen(true, false, "another caller of this process");
    }

    public final void measure() {
        if (reports.isMeasured()) {
            result.thenAccept(ending -> {
                long now = time.nanos();
                long since = waitingSince;
                reports.acquireEnded(spec, ending, now - called, since == NOT_WAITING ? 0 : now - since);
            });
        }
    }

    /** The result of an acquire. */
    public sealed interface Result {

        /** Returns an empty value if the acquire ended without a lease; throws the error of a failed acquire. */
        Optional<Lease> lease();

        Lease orThrow(LeaseSpec spec);
    }

    public record Granted(Lease held) implements Result {
        @Override
        public Optional<Lease> lease() {
            return Optional.of(held);
        }

        @Override
        public Lease orThrow(LeaseSpec spec) {
            return held;
        }
    }

    /**
     * The acquire ended without a lease: the lease is held or paused, others were faster, or no permit is available.
     *
     * @param why the text after "Lease 'x' is" in the message; {@code null} if the message names the holder
     */
    public record Unavailable(
            @Nullable LeaseInfo holder,
            @Nullable LeasePause pause,
            @Nullable String why) implements Result {

        public Unavailable(@Nullable LeaseInfo holder) {
            this(holder, null, null);
        }

        public Unavailable(@Nullable LeaseInfo holder, @Nullable LeasePause pause) {
            this(holder, pause, null);
        }

        static Unavailable here(LeaseInfo holder) {
            return new Unavailable(holder, null, "held by another caller of this process, " + inWords(holder));
        }

        @Override
        public Optional<Lease> lease() {
            return Optional.empty();
        }

        @Override
        public Lease orThrow(LeaseSpec spec) {
            throw new LeaseUnavailableException(text(spec), holder, pause);
        }

        public String text(LeaseSpec spec) {
            String held = pause != null ? paused(pause, spec) : why != null ? why : held(holder);
            return "Lease " + name(spec.keys()) + " is " + held + ", waited "
                    + Text.duration(Duration.ofNanos(spec.waitFor()));
        }

        static String paused(LeasePause pause, LeaseSpec spec) {
            boolean other = !spec.keys().equals(List.of(pause.keyOrPrefix()));
            return "paused until " + pause.until() + " by " + Text.quote(pause.by())
                    + (other ? " with " + Text.quote(pause.keyOrPrefix()) : "") + " (" + Text.quote(pause.reason())
                    + ")";
        }

        private static String held(@Nullable LeaseInfo holder) {
            if (holder == null) {
                return "held by another owner";
            }
            return holder.isKept()
                    ? "released, but kept from others until " + holder.expiresAt() + " by a hold of " + inWords(holder)
                    : "held by " + inWords(holder);
        }

        public static String inWords(LeaseInfo holder) {
            if (!holder.held()) {
                return "another owner";
            }
            StringJoiner known = new StringJoiner(", ", " (", ")").setEmptyValue("");
            if (holder.fencingToken() != 0) {
                known.add("token " + holder.fencingToken());
            }
            if (holder.acquiredAt() != null) {
                known.add("acquired at " + holder.acquiredAt());
            }
            if (holder.expiresAt() != null && !holder.isKept()) {
                known.add("until " + holder.expiresAt() + " if it is not renewed");
            }
            return (holder.owner() == null ? "another owner" : "owner " + Text.quote(holder.owner())) + known;
        }

        private String name(List<String> keys) {
            return holder == null || keys.size() == 1
                    ? Text.quoteAll(keys)
                    : Text.quote(holder.key()) + " of " + Text.quoteAll(keys);
        }
    }

    /** The acquire ended without a lease, because the requested run or a later run has already succeeded. */
    public record AlreadyRan(LeaseInfo shown) implements Result {
        @Override
        public Optional<Lease> lease() {
            return Optional.empty();
        }

        @Override
        public Lease orThrow(LeaseSpec spec) {
            throw new LeaseAlreadyRanException(
                    "Run " + Text.quote(spec.once()) + " of lease " + Text.quote(spec.key())
                            + " is already done: the table shows " + shown.lastRun(),
                    shown);
        }
    }

    /** The acquire failed or was cancelled. */
    public record Failed(LeaseException error) implements Result {
        @Override
        public Optional<Lease> lease() {
            throw error;
        }

        @Override
        public Lease orThrow(LeaseSpec spec) {
            throw error;
        }
    }
}
