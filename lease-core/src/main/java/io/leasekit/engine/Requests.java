package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.MILLI;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Text;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the store and passes on their replies. A timer of the engine watches each request. Each reply, even
 * a late one, is a clock sample and an observation of its item. Thread-safe.
 */
final class Requests {

    /** The timeout of any request other than an acquire or a renewal. */
    static final long TIMEOUT = LeaseRules.GRANT_DEADLINE;

    private static final long FIRST_BACKOFF = 50 * MILLI;
    private static final int MAX_DOUBLINGS = 10;

    private final LeaseStore store;
    private final EngineTime time;
    private final LeaseRules rules;
    private final BoundedClock clock;
    private final SeenItems seen;

    /**
     * A reply, or the failure that replaces a missing one.
     *
     * @param outcome the outcome from the store
     * @param sent the monotonic time before the request was sent
     * @param at the monotonic time after the reply was received
     */
    record Reply(StoreReply outcome, long sent, long at) {

        /**
         * Returns the refusals of a write of these keys; empty if it was not refused. Of several keys only some may be
         * known.
         */
        List<StoreReply.Refusal> refusals(List<String> keys) {
            if (outcome instanceof StoreReply.Refused refused) {
                return List.of(new StoreReply.Refusal(keys.get(0), refused.item()));
            }
            return outcome instanceof StoreReply.GroupRefused refused ? refused.refusals() : List.of();
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
    record Pending(
            BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply, Consumer<Reply> onLateReply) {

        Pending(BoundedClock.Reading reading, long timeoutNanos, Consumer<Reply> onReply) {
            this(reading, timeoutNanos, onReply, late -> {});
        }
    }

    Requests(LeaseStore store, EngineTime time, LeaseRules rules, BoundedClock clock, SeenItems seen) {
        this.store = store;
        this.time = time;
        this.rules = rules;
        this.clock = clock;
        this.seen = seen;
    }

    /** Writes one item, or several in one transaction. */
    void write(List<? extends LeaseCommand> commands, Pending pending) {
        Duration timeout = Duration.ofNanos(pending.timeoutNanos);
        CompletionStage<StoreReply> stage = safely(() -> commands.size() == 1
                ? store.write(commands.get(0), timeout)
                : store.writeAll(new CommandGroup(List.copyOf(commands)), timeout));
        follow(stage, pending, new AtomicBoolean());
    }

    /** Sends several renewals in one request; {@code pending} has an entry for each, in the same order. */
    void renewEach(RenewBatch batch, long timeoutNanos, List<Pending> pending) {
        List<CompletionStage<StoreReply>> stages = safely(batch, Duration.ofNanos(timeoutNanos));
        AtomicBoolean sampled =
                new AtomicBoolean(); // one request is one clock sample, however many leases it covers (4.2)
        for (int i = 0; i < batch.size(); i++) {
            follow(stages.get(i), pending.get(i), sampled);
        }
    }

    /** Reads an item, strongly consistently. The consumer is called once. */
    void read(String key, Consumer<Reply> onReply) {
        look(() -> store.read(key, Duration.ofNanos(TIMEOUT)), onReply);
    }

    /** Scans a part of the table, strongly consistently. The consumer is called once. */
    void list(LeaseScan scan, Consumer<Reply> onReply) {
        look(() -> store.list(scan, Duration.ofNanos(TIMEOUT)), onReply);
    }

    private void look(Supplier<CompletionStage<StoreReply>> request, Consumer<Reply> onReply) {
        int epoch = clock.epoch(); // first, so that no jump between the two is overlooked
        long sent = clock.now();
        follow(safely(request), sent, epoch, TIMEOUT, onReply, late -> {}, new AtomicBoolean());
    }

    private void follow(CompletionStage<StoreReply> stage, Pending pending, AtomicBoolean sampled) {
        follow(
                stage,
                pending.reading.sent(),
                pending.reading.epoch(),
                pending.timeoutNanos,
                pending.onReply,
                pending.onLateReply,
                sampled);
    }

    private void follow(
            CompletionStage<StoreReply> stage,
            long sent,
            int epoch,
            long timeoutNanos,
            Consumer<Reply> onReply,
            Consumer<Reply> onLateReply,
            AtomicBoolean sampled) {
        AtomicBoolean answered = new AtomicBoolean();
        EngineTime.Timer watch = stage.toCompletableFuture().isDone()
                ? () -> {}
                : time.schedule(timeoutNanos, () -> {
                    if (answered.compareAndSet(false, true)) {
                        onReply.accept(timedOut(sent, timeoutNanos));
                    }
                });
        stage.whenComplete((outcome, error) -> {
            watch.cancel();
            Reply reply = new Reply(outcome != null ? outcome : unknown(error), sent, clock.now());
            if (reply.outcome.date() != null && sampled.compareAndSet(false, true)) {
                clock.sample(sent, epoch, reply.at, reply.outcome.date());
            }
            observe(reply);
            (answered.compareAndSet(false, true) ? onReply : onLateReply).accept(reply);
        });
    }

    private static CompletionStage<StoreReply> safely(Supplier<CompletionStage<StoreReply>> request) {
        try {
            return request.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<CompletionStage<StoreReply>> safely(RenewBatch batch, Duration timeout) {
        try {
            List<CompletionStage<StoreReply>> stages = store.renewEach(batch, timeout);
            if (stages.size() == batch.size()) {
                return stages;
            }
            throw new IllegalStateException("Store answered " + stages.size() + " of " + batch.size() + " renewals");
        } catch (RuntimeException e) {
            return Collections.nCopies(batch.size(), CompletableFuture.failedFuture(e));
        }
    }

    private Reply timedOut(long sent, long timeoutNanos) {
        String text = "No reply of table " + store.name() + " within " + Duration.ofNanos(timeoutNanos);
        return new Reply(unknown(new TimeoutException(text)), sent, clock.now());
    }

    private static StoreReply unknown(@Nullable Throwable error) {
        Throwable cause = error != null ? error : new IllegalStateException("The store answered with null");
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
    }

    private void observe(Reply reply) {
        long since = rules.observedSince(reply);
        if (reply.outcome instanceof StoreReply.Refused refused) {
            observe(refused.item(), since);
        } else if (reply.outcome instanceof StoreReply.GroupRefused refused) {
            refused.refusals().forEach(refusal -> observe(refusal.item(), since));
        } else if (reply.outcome instanceof StoreReply.Found found) {
            observe(found.item(), since);
        }
    }

    private void observe(@Nullable LeaseItem item, long since) {
        if (item != null) {
            seen.saw(item, since);
        }
    }

    /**
     * Returns the pause after the n-th failure in a row. It doubles from 50 ms up to a cap, and half of it is random.
     */
    static long backoff(int failures, long capNanos, RandomGenerator random) {
        long full = Math.min(capNanos, FIRST_BACKOFF << Math.min(failures - 1, MAX_DOUBLINGS));
        return full / 2 + random.nextLong(full / 2 + 1);
    }

    /** Returns whether the date of the reply contradicts the clock reading of an earlier write. */
    boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome.date();
        return date != null && clock.contradicts(write, reply.sent, reply.at, date);
    }

    /** Returns the error for callers after a failed request for these keys. */
    LeaseStoreException error(List<String> keys, Throwable cause) {
        return error("Lease " + Text.quoteAll(keys), cause);
    }

    /** Returns the error for callers after a failed list. */
    LeaseStoreException error(Throwable cause) {
        return error("List of leases", cause);
    }

    /** Wraps a failure. One that is already a {@link LeaseStoreException} keeps its text and its cause. */
    private LeaseStoreException error(String what, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
        boolean wrapped = cause instanceof LeaseStoreException && cause.getCause() != null;
        return new LeaseStoreException(
                what + " in table " + store.name() + ": " + why, wrapped ? cause.getCause() : cause);
    }
}
