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
 * The part of an acquire call that concerns its caller: the time of the call, the wait and the result. {@link
 * Acquisition} and {@link PermitCall} extend this class instead of using a separate object, which saves memory when
 * thousands of calls wait. A permit call creates one acquisition for each slot that it tries.
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
     * {@code sending}: sends requests on the caller's thread while that thread is in the call; {@code null}: the caller
     * does not block, and sender threads send all requests. {@code called}: the monotonic time of the call.
     */
    AcquireCall(
            LeaseSpec spec, EngineTime time, LeaseNotifier notifier, Sender.@Nullable Sending sending, long called) {
        this.spec = spec;
        this.time = time;
        this.notifier = notifier;
        this.called = called;
        this.sending = sending;
    }

    abstract UUID id();

    /** Gives this call up for its caller. If the lease has been granted in the meantime, releases the lease. */
    abstract void cancel(LeaseException why);

    /** Gives this call up because the manager closes. If the lease has already been handed out, its holder keeps it. */
    abstract void stop(LeaseException why);

    /** Gives this call up because its caller has cancelled it. */
    final void cancel() {
        cancel(new LeaseException("Acquire of lease " + spec.name() + " was cancelled", null));
    }

    /**
     * Returns the result of this call. The future never completes exceptionally: an error is a {@link Failed} result.
     * The future completes in a step of this call, on any thread.
     */
    final CompletableFuture<Result> result() {
        return result;
    }

    /** Waits for the result on the caller's thread. If that thread is interrupted, gives this call up. */
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
     * Passes the result to this consumer once: immediately if the result is known, otherwise in the step that sets the
     * result. A call has at most one consumer; a second consumer replaces the first.
     */
    final void whenEnded(Consumer<Result> consumer) {
        result.passTo(consumer);
    }

    /** A future that passes its value to one consumer. A dependent stage would need two more objects for each call. */
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

    /**
     * Returns the object that sends requests on the caller's thread; {@code null}: sender threads send all requests.
     */
    final Sender.@Nullable Sending sending() {
        return sending;
    }

    /** Records that the caller's thread sends no more requests and only waits for the result. */
    final void leaveSending() {
        sending = null;
    }

    /** Returns whether the {@code waitFor} of this call is above zero. The wait may already be over. */
    final boolean hasWait() {
        return spec.waitFor() > 0;
    }

    /** Returns the monotonic time until which this call waits while another owner holds the lease. */
    final long waitsUntil() {
        return called + spec.waitFor();
    }

    /**
     * Returns the monotonic time until which this call retries while the store fails. If the store timeout ends later,
     * the call retries until the store timeout.
     */
    final long persistsUntil() {
        return called + spec.patience();
    }

    /**
     * Records that this call waits. Another caller, in this or another process, holds the lease or was faster, or the
     * lease is paused.
     */
    final void beginWaiting(long now) {
        if (waitingSince == NOT_WAITING) {
            waitingSince = now;
        }
    }

    /**
     * Returns the wait of this call; {@code null} if the call does not wait, or if it acquires a slot for a {@link
     * PermitCall}, which has a wait of its own.
     */
    final @Nullable LeaseWait waiting(long now) {
        long since = waitingSince;
        return since == NOT_WAITING || result.isDone() || spec.permit() != null
                ? null
                : new LeaseWait(spec.key(), spec.meterName(), Duration.ofNanos(now - since));
    }

    /**
     * Returns the last reason why this call did not get the lease. While the call is queued in this process, the reason
     * is another caller of this process.
     */
    AcquireObstacle.Seen seen() {
        return new AcquireObstacle.Seen(true, false, "another caller of this process");
    }

    /** Reports the result to the monitors as soon as it is known, if there are monitors. */
    final void measure() {
        if (notifier.isMeasured()) {
            result.thenAccept(ending -> {
                long now = time.nanos();
                long since = waitingSince;
                notifier.acquireEnded(spec, ending, now - called, since == NOT_WAITING ? 0 : now - since);
            });
        }
    }

    /**
     * The result of an acquire: a lease, no lease because another owner holds it, no lease because the run has already
     * succeeded, or an error.
     */
    sealed interface Result {

        /** Returns the lease; empty if there is no lease. If the acquire failed, throws its error. */
        Optional<Lease> lease();

        /** Returns the lease, or throws an exception if there is no lease. */
        Lease orThrow(LeaseSpec spec);
    }

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
     * No lease, because another owner holds the lease or was faster, the lease is paused, or this process already has
     * its maximum number of permits.
     *
     * @param why the reason, worded so that it can follow "Lease 'x' is"; {@code null}: the message names the holder
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

        /** Creates the result for a lease that this process itself holds. */
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

        /** Returns a message that names the lease and the reason why it is not available. */
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

        /** Returns a description of the holder, for use in a sentence. Omits details that are unknown. */
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

    /** No lease, because the requested run or a later run has already succeeded. */
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
