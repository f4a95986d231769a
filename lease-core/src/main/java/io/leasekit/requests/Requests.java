package io.leasekit.requests;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.Line.Wanted;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.Backoff;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends each request to the store as soon as the {@link RequestLimiter} permits it. Sends waiting renewals in batches,
 * and waiting releases in batches of their own (protocol 5.10). A thread that sends a request holds no lock and runs no
 * mailbox task. Thread-safe.
 */
@Internal
public final class Requests {

    /** The timeout of a request, and the deadline of an acquire (protocol 5.4), in nanoseconds. */
    public static final long TIMEOUT = 2 * SECOND;

    private static final long FIRST_BACKOFF = 50 * MILLI;

    private final LeaseStore store;
    private final Replies replies;
    private final BoundedClock clock;
    private final RequestLimiter limiter;
    private final Sender sender;
    private final BatchBackoff backoff;
    private final RandomGenerator random;

    /**
     * A reply or a failure; {@code sent} and {@code at} are monotonic times before the sending and after the receipt.
     */
    public record Reply(StoreReply outcome, long sent, long at) {

        /** For a refused write to several keys, the result may lack the refusals of some keys. */
        public List<StoreReply.Refusal> refusals(List<String> keys) {
            if (outcome instanceof StoreReply.Refused refused) {
                return List.of(new StoreReply.Refusal(keys.get(0), refused.item()));
            }
            return outcome instanceof StoreReply.GroupRefused refused ? refused.refusals() : List.of();
        }

        /**
         * Returns whether a write of a batch must be sent again alone, because the reply does not show the write's
         * outcome. A refusal without an item is unclear: the item is missing, or the server shows no items in batches.
         */
        public boolean asksForSingle() {
            if (outcome instanceof StoreReply.Failed failed) {
                return failed.kind() == FailureKind.BATCH_REJECTED || failed.kind() == FailureKind.REJECTED;
            }
            return outcome instanceof StoreReply.Refused refused && refused.item() == null;
        }

        public StoreReply.Failed failure() {
            return (StoreReply.Failed) outcome;
        }
    }

    /**
     * The times of a request, read before the request is sent, and the receivers of its reply.
     *
     * @param onReply called once, on any thread, with the reply or, after the timeout, with a failure
     */
    public record Pending(
            long sent, int epoch, long timeoutNanos, Consumer<Reply> onReply, Consumer<Reply> onLateReply) {

        public Pending(
                BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply, Consumer<Reply> onLateReply) {
            this(reading.sent(), reading.epoch(), timeoutNanos, onReply, onLateReply);
        }

        public Pending(BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply) {
            this(reading, timeoutNanos, onReply, late -> {});
        }

        public Pending(BoundedClock.Reading reading, Consumer<Reply> onReply) {
            this(reading, TIMEOUT, onReply);
        }

        private Pending with(long timeoutNanos, Consumer<Reply> receiver) {
            return new Pending(sent, epoch, timeoutNanos, receiver, onLateReply);
        }
    }

    public Requests(
            LeaseStore store,
            Replies replies,
            BoundedClock clock,
            RequestRules rules,
            EngineTime time,
            Sender sender,
            BatchBackoff backoff,
            RandomGenerator random) {
        this.store = store;
        this.replies = replies;
        this.clock = clock;
        this.limiter = new RequestLimiter(rules, time, backoff::mostTogether, this::takeTurn);
        this.sender = sender;
        this.backoff = backoff;
        this.random = random;
    }

    public RequestLimiter limiter() {
        return limiter;
    }

    // ---- permissions

    /**
     * Permission to send one request or one batch. If the caller sends nothing, the permission goes to another request.
     */
    public final class Outgoing {
        private final RequestLimiter.Place place;
        private final Sender.Sending sending;
        private final double share;
        private final boolean isBatch;
        // Only the thread that created 'sending' reads or changes the batch.
        private final List<Joined> batch = new ArrayList<>(0);

        private Outgoing(RequestLimiter.Place place, Sender.Sending sending, boolean isBatch) {
            this.place = place;
            this.sending = sending;
            this.share = place.kind() == RequestLimiter.Kind.RENEWAL ? random.nextDouble() : 0;
            this.isBatch = isBatch;
        }

        /**
         * Returns a random fraction for jitter. All renewals of a batch get the same fraction, so their next renewals
         * can form a batch.
         */
        public double share() {
            return share;
        }

        public void write(List<? extends LeaseCommand> commands, Pending pending) {
            place.use(commands.size());
            Replies.ExpectedReply expected = replies.expect(place, commands.get(0), pending, new AtomicBoolean());
            sending.add(() -> send(commands, pending.timeoutNanos, expected));
        }

        /**
         * Adds the write to the batch of this permission, or sends the write alone if there is no batch.
         *
         * @param isWanted returns whether the write is still needed; called just before the batch is sent
         * @param onUndecided called instead of {@code pending.onReply()} if the write must be sent again alone
         */
        public void join(
                List<? extends LeaseCommand> commands,
                Pending pending,
                BooleanSupplier isWanted,
                Consumer<Reply> onUndecided) {
            Joined write = new Joined(commands, pending, isWanted, onUndecided);
            if (!isBatch) {
                write(commands, pending);
            } else if (sending.collects()) {
                batch.add(write);
            } else {
                // The batch was already sent or belongs to another thread, so this write is sent alone.
                RequestLimiter.Place extra = limiter.extra(place.kind());
                sending.add(() -> sendAlone(extra, write));
            }
        }

        public void read(String key, Consumer<Reply> onReply) {
            look(new StoreRequest.Read(key), key, onReply);
        }

        public void readEach(List<String> keys, Consumer<Reply> onReply) {
            look(new StoreRequest.ReadEach(keys), keys.get(0), onReply);
        }

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
     * Runs the step as soon as a request of this kind may be sent.
     *
     * @param sending sends the request on the calling thread after the current step; if {@code null}, a sender thread
     *     sends the request
     */
    public void inTurn(
            RequestLimiter.Kind kind, Executor steps, Sender.@Nullable Sending sending, Consumer<Outgoing> step) {
        inTurn(kind, null, steps, sending, step);
    }

    /** A write that must wait can be sent in a batch with other waiting writes of its kind. */
    public void inTurn(
            RequestLimiter.Kind kind,
            @Nullable String key,
            Executor steps,
            Sender.@Nullable Sending sending,
            Consumer<Outgoing> step) {
        RequestLimiter.Place place = limiter.enterIfRoom(kind);
        if (place == null) {
            limiter.add(kind, new Wanted(steps, step, key, 0, 0));
        } else if (sending == null) {
            takeTurn(place, List.of(new Wanted(steps, step, null, 0, 0)));
        } else {
            run(place, sending, step);
        }
    }

    /** Waiting renewals are sent in batches, in the order of {@code end}. */
    public void renew(@Nullable String key, long end, long ttl, Executor steps, Consumer<Outgoing> step) {
        limiter.add(RequestLimiter.Kind.RENEWAL, new Wanted(steps, step, key, end, ttl));
    }

    /**
     * Runs the step on a sender thread, even if the limit of requests is reached. Use this method only if an operator
     * or other requests wait for the reply.
     */
    public void atOnce(RequestLimiter.Kind kind, Consumer<Outgoing> step) {
        takeTurn(limiter.extra(kind), List.of(new Wanted(Runnable::run, step, null, 0, 0)));
    }

    private void takeTurn(RequestLimiter.Place place, List<Wanted> wanted) {
        try {
            sender.later(sending -> {
                Wanted first = wanted.get(0);
                if (first.key() == null && place.kind() != RequestLimiter.Kind.RENEWAL) {
                    first.steps().execute(() -> run(place, sending, first.step()));
                } else {
                    Outgoing request = new Outgoing(place, sending, true);
                    sending.add(() -> sendBatch(place, request.batch));
                    wanted.forEach(one -> one.steps().execute(() -> one.step().accept(request)));
                }
            });
        } catch (Throwable e) {
            place.endUnlessUsed();
            throw e;
        }
    }

    private void run(RequestLimiter.Place place, Sender.Sending sending, Consumer<Outgoing> step) {
        try {
            step.accept(new Outgoing(place, sending, false));
        } finally {
            place.endUnlessUsed();
        }
    }

    void together(Runnable step) {
        limiter.together(step);
    }

    // ---- sending

    private record Joined(
            List<? extends LeaseCommand> commands,
            Pending pending,
            BooleanSupplier isWanted,
            Consumer<Reply> onUndecided) {

        private LeaseCommand command() {
            return commands.get(0);
        }
    }

    private Pending alone(Joined write) {
        return write.pending.with(replies.left(write.pending), reply -> {
            backoff.judgeSingle(reply.outcome);
            write.pending.onReply.accept(reply);
        });
    }

    private Pending inBatch(Joined write, BatchBackoff.Verdict verdict) {
        return write.pending.with(replies.left(write.pending), reply -> {
            verdict.judge(reply.outcome);
            (reply.asksForSingle() ? write.onUndecided : write.pending.onReply).accept(reply);
        });
    }

    private void sendAlone(RequestLimiter.Place place, Joined write) {
        sendBatch(place, new ArrayList<>(List.of(write)));
    }

    private void sendBatch(RequestLimiter.Place place, List<Joined> batch) {
        try {
            // Another thread may have ended a lease since its write joined the batch (protocol 5.6).
            batch.removeIf(one -> !one.isWanted.getAsBoolean());
            if (batch.size() == 1) {
                Joined one = batch.get(0);
                Pending pending = alone(one);
                place.use(one.commands.size());
                send(
                        one.commands,
                        pending.timeoutNanos,
                        replies.expect(place, one.command(), pending, new AtomicBoolean()));
            } else if (!batch.isEmpty()) {
                sendTogether(place, batch);
            }
        } finally {
            place.endUnlessUsed();
        }
    }

    /** The batch counts towards the limit until one of its writes is answered or times out. */
    private void sendTogether(RequestLimiter.Place place, List<Joined> batch) {
        place.use(batch.size());
        BatchBackoff.Verdict verdict = backoff.new Verdict();
        // One request gives one clock sample, even if the request has several writes (protocol 4.2).
        AtomicBoolean sampled = new AtomicBoolean();
        List<Replies.ExpectedReply> expected = batch.stream()
                .map(one -> replies.expect(place, one.command(), inBatch(one, verdict), sampled))
                .toList();
        StoreRequest.Batch request =
                new StoreRequest.Batch(batch.stream().map(Joined::command).toList());
        long timeout =
                batch.stream().mapToLong(one -> replies.left(one.pending)).max().orElse(TIMEOUT);
        Replies.safely(() -> store.send(request, Duration.ofNanos(timeout))).whenComplete((reply, error) -> {
            for (int i = 0; i < expected.size(); i++) {
                StoreReply part = part(reply, i, expected.size());
                Replies.ExpectedReply one = expected.get(i);
                // If one receiver throws an exception, the other writes must still get their replies.
                Quietly.run(() -> one.onOutcome(part, error));
            }
        });
    }

    private static @Nullable StoreReply part(@Nullable StoreReply reply, int number, int size) {
        if (!(reply instanceof StoreReply.Each each)) {
            return reply;
        }
        if (each.replies().size() == size) {
            return each.replies().get(number);
        }
        Exception cause =
                new IllegalStateException("Store answered " + each.replies().size() + " of " + size + " writes");
        return new StoreReply.Failed(FailureKind.UNKNOWN, cause, null, false);
    }

    private void send(List<? extends LeaseCommand> commands, long timeoutNanos, Replies.ExpectedReply expected) {
        StoreRequest request = commands.size() == 1
                ? new StoreRequest.Write(commands.get(0))
                : new StoreRequest.Transaction(List.copyOf(commands));
        expected.follow(() -> store.send(request, Duration.ofNanos(timeoutNanos)));
    }

    /** Returns the delay before a retry, in nanoseconds. */
    public static long backoff(int failures, long capNanos, RandomGenerator random) {
        return Backoff.nanos(failures, FIRST_BACKOFF, capNanos, random);
    }

    /** Returns the delay before a retry, in nanoseconds; {@code longest} if the retry budget is used up. */
    public long retryDelay(int failures, long capNanos, long longest) {
        long delay = backoff(failures, capNanos, random);
        return replies.budget.take() ? delay : longest;
    }

    public boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome.date();
        return date != null && clock.contradicts(write, reply.sent, reply.at, date);
    }

    public LeaseStoreException error(List<String> keys, Throwable cause) {
        return error("Lease " + Text.quoteAll(keys), cause);
    }

    public LeaseStoreException error(Throwable cause) {
        return error("List of leases", cause);
    }

    /** If the cause is a {@link LeaseStoreException} with a cause, wraps that inner cause instead. */
    public LeaseStoreException error(String what, Throwable cause) {
        boolean wrapped = cause instanceof LeaseStoreException && cause.getCause() != null;
        return new LeaseStoreException(
                what + " in table " + store.info().name() + ": " + Text.why(cause),
                wrapped ? cause.getCause() : cause,
                cause instanceof LeaseStoreException failure ? failure.throttling() : null);
    }
}
