package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeasePause;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.LeaseWait;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.Quietly;
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
 * An acquire call as its caller sees it: the time of the call, its wait and its result. A base class of {@link Acquisition}
 * rather than a separate object, because thousands of calls may wait; and of {@link PermitCall}, which has an acquisition for
 * each slot that it asks for.
 */
abstract class AcquireCall {

    private static final long NOT_WAITING = Long.MIN_VALUE;

    final LeaseSpec spec;
    final EngineTime time;
    final LeaseNotifier notifier;
    private final long called;
    private final Outcome result = new Outcome();
    private volatile long waitingSince = NOT_WAITING;
    private volatile Sender.@Nullable Sending sending;

    /**
     * {@code sending}: sends on the caller's thread while that is in the call; {@code null}: the caller does not block.
     * {@code called}: the monotonic time of the call.
     */
    AcquireCall(
            LeaseSpec spec, EngineTime time, LeaseNotifier notifier, Sender.@Nullable Sending sending, long called) {
        this.spec = spec;
        this.time = time;
        this.notifier = notifier;
        this.called = called;
        this.sending = sending;
    }

    /** Returns a unique name of this call. */
    abstract UUID id();

    /** Gives up for the caller; releases a lease that was granted meanwhile. */
    abstract void cancel(LeaseException why);

    /** Gives up for the manager; the holder keeps a lease that was handed out meanwhile. */
    abstract void stop(LeaseException why);

    /** Gives up because the caller cancelled. */
    final void cancel() {
        cancel(new LeaseException("Acquire of lease " + spec.name() + " was cancelled", null));
    }

    /** Returns the result. It completes normally, in a step of this acquire, on any thread. */
    final CompletableFuture<Result> result() {
        return result;
    }

    /** Waits for the result on the caller's thread. An interrupt gives this acquire up. */
    final Result await(ResultDelivery delivery) {
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

    /**
     * Passes the result to this consumer, once: at once if there is one, otherwise in the step that gives it. A call has
     * one consumer: a second one takes the place of the first.
     */
    final void whenEnded(Consumer<Result> consumer) {
        result.passTo(consumer);
    }

    /** A future of a result with one consumer, without the two objects for each that a dependent stage would need. */
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

    /** Returns the monotonic time of the call. */
    final long called() {
        return called;
    }

    /** Returns how to send on the caller's thread; {@code null}: sender threads send. */
    final Sender.@Nullable Sending sending() {
        return sending;
    }

    /** Notes that the caller's thread only waits from now on. */
    final void leaveSending() {
        sending = null;
    }

    /** Returns whether this call is to wait while another owner holds the lease, also once its wait is over. */
    final boolean hasWait() {
        return spec.waitFor() > 0;
    }

    /** Returns the monotonic time until which this call waits while another owner holds the lease. */
    final long waitsUntil() {
        return called + spec.waitFor();
    }

    /** Returns the monotonic time until which this call goes on while the store fails, if the store timeout ends before. */
    final long persistsUntil() {
        return called + spec.patience();
    }

    /** Notes that this call waits: another caller, in any process, holds the lease or gets it first, or it is paused. */
    final void beginWaiting(long now) {
        if (waitingSince == NOT_WAITING) {
            waitingSince = now;
        }
    }

    /** Returns the wait of this call; {@code null} if it does not wait, or is a part of a {@link PermitCall}. */
    final @Nullable LeaseWait waiting(long now) {
        long since = waitingSince;
        return since == NOT_WAITING || result.isDone() || spec.permit() != null
                ? null
                : new LeaseWait(spec.key(), spec.meterName(), Duration.ofNanos(now - since));
    }

    /** Returns what this call saw last; one that waits for others of this process sees one of them. */
    AcquireObstacle.Seen seen() {
        return new AcquireObstacle.Seen(true, false, "another caller of this process");
    }

    /** Measures the end of this call if there is a monitor. */
    final void measure() {
        if (notifier.isMeasured()) {
            result.thenAccept(ending -> {
                long now = time.nanos();
                long since = waitingSince;
                notifier.acquireEnded(spec, ending, now - called, since == NOT_WAITING ? 0 : now - since);
            });
        }
    }

    /** The result of an acquire: a lease, no lease because another owner holds it, a run already done, or an error. */
    sealed interface Result {

        /** Returns the lease; empty if there is none. Throws the error of a failed acquire. */
        Optional<Lease> lease();

        /** Returns the lease, or throws if there is none. */
        Lease orThrow(LeaseSpec spec);
    }

    /** The lease was granted. */
    record Granted(Lease held) implements Result {
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
     * Another owner holds the lease or was faster, it is paused, or this process has as many permits as it may have.
     *
     * @param why what had to be free instead, as the end of a sentence about the lease; {@code null}: the holder says it
     */
    record Unavailable(
            @Nullable LeaseInfo holder,
            @Nullable LeasePause pause,
            @Nullable String why) implements Result {

        Unavailable(@Nullable LeaseInfo holder) {
            this(holder, null, null);
        }

        Unavailable(@Nullable LeaseInfo holder, @Nullable LeasePause pause) {
            this(holder, pause, null);
        }

        /** Of a lease of this process. */
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

        /** Says which lease is unavailable, and what had to be free. */
        String text(LeaseSpec spec) {
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

        /** Describes the holder as part of a sentence, without unknown details. */
        static String inWords(LeaseInfo holder) {
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

    /** The requested run, or a later one, is already done. */
    record AlreadyRan(LeaseInfo shown) implements Result {
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

    /** The acquire failed or was given up. */
    record Failed(LeaseException error) implements Result {
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
