package io.leasekit.requests;

import static io.leasekit.internal.EngineTime.MILLI;
import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Backoff;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Text;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import io.leasekit.threads.Sender;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the store when their turn has come, outside of every mailbox and lock. {@link Replies} awaits their
 * replies. Thread-safe.
 */
@Internal
public final class Requests {

    /** The timeout of any request other than an acquire or a renewal. */
    public static final long TIMEOUT = 2 * SECOND;

    private static final long FIRST_BACKOFF = 50 * MILLI;

    private final LeaseStore store;
    private final Replies replies;
    private final BoundedClock clock;
    private final Gate gate;
    private final Sender sender;
    private final RetryBudget budget;

    /**
     * A reply, or the failure that replaces a missing one.
     *
     * @param outcome the outcome from the store
     * @param sent the monotonic time before the request was sent
     * @param at the monotonic time after the reply was received
     */
    public record Reply(StoreReply outcome, long sent, long at) {

        /**
         * Returns the refusals of a write of these keys; empty if it was not refused. Of several keys only some may be
         * known.
         */
        public List<StoreReply.Refusal> refusals(List<String> keys) {
            if (outcome instanceof StoreReply.Refused refused) {
                return List.of(new StoreReply.Refusal(keys.get(0), refused.item()));
            }
            return outcome instanceof StoreReply.GroupRefused refused ? refused.refusals() : List.of();
        }

        /** Returns the failure of a write. A reply that is none to a write leaves its effect open, too. */
        public StoreReply.Failed failure() {
            return outcome instanceof StoreReply.Failed failed
                    ? failed
                    : new StoreReply.Failed(
                            StoreReply.FailureKind.UNKNOWN,
                            new IllegalStateException("The store answered a write with " + outcome),
                            null,
                            false);
        }
    }

    /**
     * A write that waits for its reply.
     *
     * @param reading the clock reading for the write
     * @param timeoutNanos how long its reply is awaited
     * @param onReply called once, on any thread, with the reply or with a timeout
     * @param onLateReply called with a reply after the timeout
     */
    public record Pending(
            BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply, Consumer<Reply> onLateReply) {

        /** Of a write whose late reply does not matter. */
        public Pending(BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply) {
            this(reading, timeoutNanos, onReply, late -> {});
        }

        /** Of a write with the usual timeout. */
        public Pending(BoundedClock.Reading reading, Consumer<Reply> onReply) {
            this(reading, TIMEOUT, onReply);
        }
    }

    /** A request with several writes, each with a reply of its own. */
    private interface Batch {
        List<CompletionStage<StoreReply>> send(Duration timeout);
    }

    public Requests(
            LeaseStore store, Replies replies, BoundedClock clock, Gate gate, Sender sender, RetryBudget budget) {
        this.store = store;
        this.replies = replies;
        this.clock = clock;
        this.gate = gate;
        this.sender = sender;
        this.budget = budget;
    }

    // ---- turns

    /** A request whose turn has come. A step makes it with one of these methods, or leaves the turn to others. */
    public final class Outgoing {
        private final Gate.Slot slot;
        private final Sender.Sending sending;

        private Outgoing(Gate.Slot slot, Sender.Sending sending) {
            this.slot = slot;
            this.sending = sending;
        }

        /** Writes one item, or several in one transaction. */
        public void write(List<? extends LeaseCommand> commands, Pending pending) {
            slot.use(commands.size());
            Replies.Awaited awaited = replies.await(slot, pending, new AtomicBoolean());
            sending.add(() -> send(commands, pending.timeoutNanos, awaited));
        }

        /** Reads an item, strongly consistently. The consumer is called once. */
        public void read(String key, Consumer<Reply> onReply) {
            look(() -> store.read(key, Duration.ofNanos(TIMEOUT)), onReply);
        }

        /** Reads several items, each strongly consistently. The consumer is called once. */
        public void readEach(List<String> keys, Consumer<Reply> onReply) {
            look(() -> store.readEach(keys, Duration.ofNanos(TIMEOUT)), onReply);
        }

        /** Scans a part of the table, strongly consistently. The consumer is called once. */
        public void list(LeaseScan scan, Consumer<Reply> onReply) {
            look(() -> store.list(scan, Duration.ofNanos(TIMEOUT)), onReply);
        }

        private void look(Supplier<CompletionStage<StoreReply>> request, Consumer<Reply> onReply) {
            slot.use(1);
            Replies.Awaited awaited = replies.awaitLook(slot, onReply);
            sending.add(() -> awaited.follow(request));
        }
    }

    /**
     * Runs the step when the turn of a request of this kind has come: at once on this thread if there is room and
     * {@code sending} is given, otherwise on a sender thread.
     *
     * @param steps runs the step, once it is on the thread that sends
     * @param sending sends on this thread after the present step; {@code null}: a sender thread sends
     */
    public void inTurn(Gate.Kind kind, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        Gate.Slot slot = gate.enter(kind, later -> {
            takeTurn(later, steps, step);
            return false;
        });
        if (slot != null) {
            begin(slot, steps, sending, step);
        }
    }

    /** Runs the step as {@link #inTurn} does if there is room at once. Otherwise returns {@code false}. */
    public boolean ifRoom(Gate.Kind kind, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        Gate.Slot slot = gate.enterIfRoom(kind);
        if (slot != null) {
            begin(slot, steps, sending, step);
        }
        return slot != null;
    }

    private void begin(Gate.Slot slot, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        if (sending != null) {
            run(slot, sending, step);
        } else {
            takeTurn(slot, steps, step);
        }
    }

    /** Runs the step on a sender thread without waiting for a turn. For the few requests that others wait for. */
    public void atOnce(Gate.Kind kind, Consumer<Outgoing> step) {
        takeTurn(gate.extra(kind), Runnable::run, step);
    }

    private void takeTurn(Gate.Slot slot, Executor steps, Consumer<Outgoing> step) {
        sender.later(sending -> steps.execute(() -> run(slot, sending, step)));
    }

    private void run(Gate.Slot slot, Sender.Sending sending, Consumer<Outgoing> step) {
        try {
            step.accept(new Outgoing(slot, sending));
        } finally {
            slot.endUnlessUsed();
        }
    }

    // ---- sending

    /** Sends the writes of one lease on the calling thread. */
    void write(Gate.Slot slot, List<? extends LeaseCommand> commands, Pending pending) {
        slot.use(commands.size());
        send(commands, pending.timeoutNanos, replies.await(slot, pending, new AtomicBoolean()));
    }

    /**
     * Sends several renewals in one request on the calling thread; {@code pending} has an entry for each, in the same
     * order.
     */
    void renewEach(Gate.Slot slot, RenewBatch batch, long timeoutNanos, List<Pending> pending) {
        each(slot, timeout -> store.renewEach(batch, timeout), timeoutNanos, pending);
    }

    /** Sends several releases in one request, as {@link #renewEach} does with renewals. */
    void releaseEach(Gate.Slot slot, ReleaseBatch batch, List<Pending> pending) {
        each(slot, timeout -> store.releaseEach(batch, timeout), TIMEOUT, pending);
    }

    private void each(Gate.Slot slot, Batch batch, long timeoutNanos, List<Pending> pending) {
        slot.use(pending.size());
        AtomicBoolean sampled =
                new AtomicBoolean(); // one request is one clock sample, however many leases it covers (4.2)
        List<Replies.Awaited> awaited =
                pending.stream().map(one -> replies.await(slot, one, sampled)).toList();
        List<CompletionStage<StoreReply>> stages = safely(batch, pending.size(), Duration.ofNanos(timeoutNanos));
        for (int i = 0; i < stages.size(); i++) {
            CompletionStage<StoreReply> stage = stages.get(i);
            awaited.get(i).follow(() -> stage);
        }
    }

    private void send(List<? extends LeaseCommand> commands, long timeoutNanos, Replies.Awaited awaited) {
        Duration timeout = Duration.ofNanos(timeoutNanos);
        awaited.follow(() -> commands.size() == 1
                ? store.write(commands.get(0), timeout)
                : store.writeAll(new CommandGroup(List.copyOf(commands)), timeout));
    }

    /** Returns whether there is a retry left in the budget, and takes it. */
    public boolean mayRetry() {
        return budget.take();
    }

    private static List<CompletionStage<StoreReply>> safely(Batch batch, int size, Duration timeout) {
        try {
            List<CompletionStage<StoreReply>> stages = batch.send(timeout);
            if (stages.size() == size) {
                return stages;
            }
            throw new IllegalStateException("Store answered " + stages.size() + " of " + size + " writes");
        } catch (RuntimeException | Error e) {
            return Collections.nCopies(size, CompletableFuture.failedFuture(e));
        }
    }

    /**
     * Returns the pause after the n-th failure in a row. It doubles from 50 ms up to a cap, and half of it is random.
     */
    public static long backoff(int failures, long capNanos, RandomGenerator random) {
        return Backoff.nanos(failures, FIRST_BACKOFF, capNanos, random);
    }

    /** Returns whether the date of the reply contradicts the clock reading of an earlier write. */
    public boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome.date();
        return date != null && clock.contradicts(write, reply.sent, reply.at, date);
    }

    /** Returns the error for callers after a failed request for these keys. */
    public LeaseStoreException error(List<String> keys, Throwable cause) {
        return error("Lease " + Text.quoteAll(keys), cause);
    }

    /** Returns the error for callers after a failed list. */
    public LeaseStoreException error(Throwable cause) {
        return error("List of leases", cause);
    }

    /** Wraps a failure. One that is already a {@link LeaseStoreException} keeps its text and its cause. */
    public LeaseStoreException error(String what, Throwable cause) {
        boolean wrapped = cause instanceof LeaseStoreException && cause.getCause() != null;
        return new LeaseStoreException(
                what + " in table " + store.name() + ": " + Text.why(cause),
                wrapped ? cause.getCause() : cause,
                cause instanceof LeaseStoreException failure ? failure.throttling() : null);
    }
}
