package io.leasekit.requests;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends each request to the store as soon as the {@link RequestLimiter} permits it. Requests are sent outside of every
 * mailbox and lock. {@link Replies} waits for the replies. Thread-safe.
 */
@Internal
public final class Requests {

    /**
     * The timeout of a request, in nanoseconds. This timeout is also the deadline of an acquire (protocol 5.4).
     * Renewals can have a shorter timeout.
     */
    public static final long TIMEOUT = 2 * SECOND;

    private static final long FIRST_BACKOFF = 50 * MILLI;

    private final LeaseStore store;
    private final Replies replies;
    private final BoundedClock clock;
    private final RequestLimiter limiter;
    private final Sender sender;
    private final RetryBudget budget;

    /**
     * A reply, or the failure that replaces a missing reply.
     *
     * @param outcome the outcome that the store returned, or the failure that replaces a missing reply
     * @param sent the monotonic time, read before the request was sent
     * @param at the monotonic time, read after the reply was received
     */
    public record Reply(StoreReply outcome, long sent, long at) {

        /**
         * Returns the refusals of a write to these keys; empty if the write was not refused. With several keys, the
         * reply possibly shows only some of the refusals.
         */
        public List<StoreReply.Refusal> refusals(List<String> keys) {
            if (outcome instanceof StoreReply.Refused refused) {
                return List.of(new StoreReply.Refusal(keys.get(0), refused.item()));
            }
            return outcome instanceof StoreReply.GroupRefused refused ? refused.refusals() : List.of();
        }

        /** Returns the failure. Call only if the request failed. */
        public StoreReply.Failed failure() {
            return (StoreReply.Failed) outcome;
        }
    }

    /**
     * A write that waits for its reply.
     *
     * @param reading the clock reading that the write uses
     * @param timeoutNanos the time to wait for the reply
     * @param onReply called once, on any thread, with the reply or with a timeout
     * @param onLateReply called with a reply that arrives after the timeout
     */
    public record Pending(
            BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply, Consumer<Reply> onLateReply) {

        /** Creates a pending write that ignores a late reply. */
        public Pending(BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply) {
            this(reading, timeoutNanos, onReply, late -> {});
        }

        /** Creates a pending write that has the timeout {@link #TIMEOUT} and ignores a late reply. */
        public Pending(BoundedClock.Reading reading, Consumer<Reply> onReply) {
            this(reading, TIMEOUT, onReply);
        }
    }

    public Requests(
            LeaseStore store,
            Replies replies,
            BoundedClock clock,
            RequestLimiter limiter,
            Sender sender,
            RetryBudget budget) {
        this.store = store;
        this.replies = replies;
        this.clock = clock;
        this.limiter = limiter;
        this.sender = sender;
        this.budget = budget;
    }

    // ---- permission to send

    /**
     * Permission to send one request. A step sends the request with one method of this class. If it sends nothing,
     * another request gets the permission.
     */
    public final class Outgoing {
        private final RequestLimiter.Place place;
        private final Sender.Sending sending;

        private Outgoing(RequestLimiter.Place place, Sender.Sending sending) {
            this.place = place;
            this.sending = sending;
        }

        /** Writes one item, or several items in one transaction. */
        public void write(List<? extends LeaseCommand> commands, Pending pending) {
            place.use(commands.size());
            Replies.ExpectedReply expected = replies.expect(place, commands.get(0), pending, new AtomicBoolean());
            sending.add(() -> send(commands, pending.timeoutNanos, expected));
        }

        /** Reads an item with strong consistency. The consumer is called once. */
        public void read(String key, Consumer<Reply> onReply) {
            look(new StoreRequest.Read(key), key, onReply);
        }

        /** Reads several items, each with strong consistency. The consumer is called once. */
        public void readEach(List<String> keys, Consumer<Reply> onReply) {
            look(new StoreRequest.ReadEach(keys), keys.get(0), onReply);
        }

        /** Scans a part of the table with strong consistency. The consumer is called once. */
        public void list(StoreRequest.Scan scan, Consumer<Reply> onReply) {
            look(scan, "", onReply);
        }

        private void look(StoreRequest request, String key, Consumer<Reply> onReply) {
            place.use(1);
            Replies.ExpectedReply expected = replies.expectOfRead(place, key, onReply);
            sending.add(() -> expected.follow(() -> store.send(request, Duration.ofNanos(TIMEOUT))));
        }
    }

    /**
     * Runs the step once a request of this kind may be sent. If the limit leaves room and {@code sending} is not
     * {@code null}, the step runs at once on this thread, otherwise on a sender thread.
     *
     * @param steps runs the step if a sender thread sends the request
     * @param sending sends the request on this thread after the present step; {@code null}: a sender thread sends it
     */
    public void inTurn(
            RequestLimiter.Kind kind, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        RequestLimiter.Place place = limiter.enter(kind, later -> {
            takeTurn(later, steps, step);
            return false;
        });
        if (place != null) {
            begin(place, steps, sending, step);
        }
    }

    /**
     * Runs the step as {@link #inTurn} does if the limit leaves room now. Otherwise returns {@code false} and does not
     * run the step.
     */
    public boolean ifRoom(
            RequestLimiter.Kind kind, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        RequestLimiter.Place place = limiter.enterIfRoom(kind);
        if (place != null) {
            begin(place, steps, sending, step);
        }
        return place != null;
    }

    private void begin(
            RequestLimiter.Place place, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        if (sending != null) {
            run(place, sending, step);
        } else {
            takeTurn(place, steps, step);
        }
    }

    /**
     * Runs the step on a sender thread without waiting for permission. Only for the few requests whose replies other
     * requests or an operator need.
     */
    public void atOnce(RequestLimiter.Kind kind, Consumer<Outgoing> step) {
        takeTurn(limiter.extra(kind), Runnable::run, step);
    }

    private void takeTurn(RequestLimiter.Place place, Executor steps, Consumer<Outgoing> step) {
        try {
            sender.later(sending -> steps.execute(() -> run(place, sending, step)));
        } catch (Throwable e) {
            place.endUnlessUsed();
            throw e;
        }
    }

    private void run(RequestLimiter.Place place, Sender.Sending sending, Consumer<Outgoing> step) {
        try {
            step.accept(new Outgoing(place, sending));
        } finally {
            place.endUnlessUsed();
        }
    }

    // ---- sending

    /** Sends the writes of one lease on the calling thread. */
    void write(RequestLimiter.Place place, List<? extends LeaseCommand> commands, Pending pending) {
        place.use(commands.size());
        send(commands, pending.timeoutNanos, replies.expect(place, commands.get(0), pending, new AtomicBoolean()));
    }

    /**
     * Sends several writes in one request on the calling thread. {@code pending} has an entry for each write, in the
     * same order. The place is given back at the first reply to, or timeout of, any of these writes.
     */
    void writeEach(RequestLimiter.Place place, StoreRequest.Batch batch, long timeoutNanos, List<Pending> pending) {
        place.use(pending.size());
        AtomicBoolean sampled =
                new AtomicBoolean(); // one request is one clock sample, however many leases it has (protocol 4.2)
        List<Replies.ExpectedReply> expected = IntStream.range(0, pending.size())
                .mapToObj(i -> replies.expect(place, batch.commands().get(i), pending.get(i), sampled))
                .toList();
        Replies.safely(() -> store.send(batch, Duration.ofNanos(timeoutNanos))).whenComplete((reply, error) -> {
            for (int i = 0; i < expected.size(); i++) {
                StoreReply part = part(reply, i, expected.size());
                Replies.ExpectedReply one = expected.get(i);
                Quietly.run(() -> one.onOutcome(part, error)); // the other leases must get their replies, too
            }
        });
    }

    /** Returns the reply to one write of a batch. If the whole batch failed, returns its failure. */
    private static @Nullable StoreReply part(@Nullable StoreReply reply, int number, int size) {
        if (!(reply instanceof StoreReply.Each each)) {
            return reply;
        }
        if (each.replies().size() == size) {
            return each.replies().get(number);
        }
        Exception cause =
                new IllegalStateException("Store answered " + each.replies().size() + " of " + size + " writes");
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
    }

    private void send(List<? extends LeaseCommand> commands, long timeoutNanos, Replies.ExpectedReply expected) {
        StoreRequest request = commands.size() == 1
                ? new StoreRequest.Write(commands.get(0))
                : new StoreRequest.Transaction(List.copyOf(commands));
        expected.follow(() -> store.send(request, Duration.ofNanos(timeoutNanos)));
    }

    /**
     * Returns the delay after {@code failures} consecutive failures. The delay starts at 50 ms and doubles with each
     * failure, up to {@code capNanos}. Half of the delay is random.
     */
    public static long backoff(int failures, long capNanos, RandomGenerator random) {
        return Backoff.nanos(failures, FIRST_BACKOFF, capNanos, random);
    }

    /**
     * Returns the delay before a retry after {@code failures} consecutive failures. If the retry budget is used up,
     * returns {@code longest}.
     */
    public long retryDelay(int failures, long longest, RandomGenerator random) {
        long delay = backoff(failures, longest, random);
        return budget.take() ? delay : longest;
    }

    /** Returns whether the date of the reply contradicts the clock reading of an earlier write. */
    public boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome.date();
        return date != null && clock.contradicts(write, reply.sent, reply.at, date);
    }

    /** Returns the error that callers get after a failed request for these keys. */
    public LeaseStoreException error(List<String> keys, Throwable cause) {
        return error("Lease " + Text.quoteAll(keys), cause);
    }

    /** Returns the error that callers get after a failed list. */
    public LeaseStoreException error(Throwable cause) {
        return error("List of leases", cause);
    }

    /**
     * Wraps a failure in a {@link LeaseStoreException} for callers. If the failure itself is a
     * {@link LeaseStoreException} with a cause, the new exception gets this cause. {@code what}: the beginning of the
     * text, which says what failed.
     */
    public LeaseStoreException error(String what, Throwable cause) {
        boolean wrapped = cause instanceof LeaseStoreException && cause.getCause() != null;
        return new LeaseStoreException(
                what + " in table " + store.info().name() + ": " + Text.why(cause),
                wrapped ? cause.getCause() : cause,
                cause instanceof LeaseStoreException failure ? failure.throttling() : null);
    }
}
