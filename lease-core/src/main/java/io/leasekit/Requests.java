package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way of a request to the store and of its reply back: each is watched by a timer of ours, and each reply, late ones too,
 * tells the time and shows an item. Thread-safe.
 */
final class Requests {

    /** How long one read, or one release, may take. */
    static final long TIMEOUT = 2 * SECOND;

    /** Of a request whose replies tell no time where they are received. */
    private static final int NO_EPOCH = -1;

    private final LeaseStore store;
    private final EngineTime time;
    private final LeaseRules rules;
    private final BoundedClock clock;
    private final Observations observations;
    private final Consumer<Runnable> together;
    private final AtomicReference<@Nullable CompletableFuture<Reply>> syncing = new AtomicReference<>();

    /** {@code together} runs a step at whose end several leases may be renewed. */
    Requests(
            LeaseStore store,
            EngineTime time,
            LeaseRules rules,
            BoundedClock clock,
            Observations observations,
            Consumer<Runnable> together) {
        this.together = together;
        this.store = store;
        this.time = time;
        this.rules = rules;
        this.clock = clock;
        this.observations = observations;
    }

    /** Sends a request; the consumer is called once, on any thread, when the reply is there or its time is over. */
    void send(
            BoundedClock.Reading reading,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer) {
        send(reading.sent(), reading.epoch(), timeoutNanos, request, consumer, late -> {});
    }

    /** Sends a request, as the other form does; a reply that comes after its time goes to the second consumer. */
    void send(
            BoundedClock.Reading reading,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer,
            Consumer<Reply> lateConsumer) {
        send(reading.sent(), reading.epoch(), timeoutNanos, request, consumer, lateConsumer);
    }

    /** Returns how these commands go out: one as it is, several in one transaction. */
    Function<Duration, CompletionStage<StoreReply>> write(List<? extends LeaseCommand> commands) {
        if (commands.size() == 1) {
            return timeout -> store.write(commands.get(0), timeout);
        }
        CommandGroup group = new CommandGroup(List.copyOf(commands));
        return timeout -> store.writeAll(group, timeout);
    }

    /** Sends a request, as the other form does, whose replies tell the time by {@link #tellTime}. */
    void sendUndated(
            BoundedClock.Reading reading,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer,
            Consumer<Reply> lateConsumer) {
        send(reading.sent(), NO_EPOCH, timeoutNanos, request, consumer, lateConsumer);
    }

    /** Takes the time from the reply to a request that was sent after this reading. */
    void tellTime(BoundedClock.Reading reading, StoreReply reply) {
        takeTime(reply, reading.sent(), reading.epoch(), clock.now());
    }

    /** Reads an item, consistently; the consumer is called once. */
    void read(String key, Consumer<Reply> consumer) {
        int epoch = clock.epoch(); // first: a jump between the two must not be overlooked
        long sent = clock.now();
        send(sent, epoch, TIMEOUT, timeout -> store.read(key, timeout), consumer, late -> {});
    }

    /** Looks at a part of the table, consistently; the consumer is called once. */
    void list(LeaseScan scan, Consumer<Reply> consumer) {
        int epoch = clock.epoch();
        long sent = clock.now();
        send(sent, epoch, TIMEOUT, timeout -> store.list(scan, timeout), consumer, late -> {});
    }

    private void send(
            long sent,
            int epoch,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer,
            Consumer<Reply> lateConsumer) {
        CompletableFuture<StoreReply> stage = sendSafely(request, Duration.ofNanos(timeoutNanos));
        AtomicBoolean answered = new AtomicBoolean();
        EngineTime.Timer watch = stage.isDone()
                ? () -> {}
                : time.schedule(timeoutNanos, () -> {
                    if (answered.compareAndSet(false, true)) {
                        consumer.accept(timedOut(sent, timeoutNanos));
                    }
                });
        stage.whenComplete((outcome, error) -> {
            watch.cancel();
            long at = clock.now();
            StoreReply known = outcome != null ? outcome : unknown(error);
            takeIn(known, sent, epoch, at);
            Consumer<Reply> receiver = answered.compareAndSet(false, true) ? consumer : lateConsumer;
            receiver.accept(new Reply(known, sent, at));
        });
    }

    private static CompletableFuture<StoreReply> sendSafely(
            Function<Duration, CompletionStage<StoreReply>> request, Duration timeout) {
        try {
            return request.apply(timeout).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Reply timedOut(long sent, long timeoutNanos) {
        String text = "No reply of table " + store.name() + " within " + Duration.ofNanos(timeoutNanos);
        return new Reply(unknown(new TimeoutException(text)), sent, clock.now());
    }

    static StoreReply unknown(@Nullable Throwable error) {
        Throwable cause = error != null ? error : new IllegalStateException("The store answered with null");
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
    }

    private void takeIn(StoreReply outcome, long sent, int epoch, long at) {
        if (epoch != NO_EPOCH) {
            takeTime(outcome, sent, epoch, at);
        }
        long since = rules.observedSince(sent, at);
        if (outcome instanceof StoreReply.Refused refused) {
            observe(refused.item(), since);
        } else if (outcome instanceof StoreReply.GroupRefused refused) {
            refused.refusals().forEach(refusal -> observe(refusal.item(), since));
        } else if (outcome instanceof StoreReply.Found found) {
            observe(found.item(), since);
        }
    }

    private void takeTime(StoreReply outcome, long sent, int epoch, long at) {
        Instant date = outcome.date();
        if (date != null) {
            clock.sample(sent, epoch, at, date);
        }
    }

    private void observe(@Nullable LeaseItem item, long since) {
        if (item != null) {
            observations.saw(item, since);
        }
    }

    /** Returns whether the reply's date contradicts the clock that a write was made with. */
    boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome().date();
        return date != null && clock.contradicts(write, reply.sent(), reply.at(), date);
    }

    /**
     * Reads an item so that the clock has a sample, once for all who ask meanwhile; the consumer gets {@code null} or the
     * error, once.
     */
    void syncClock(String key, Consumer<@Nullable LeaseStoreException> consumer) {
        CompletableFuture<Reply> fresh = new CompletableFuture<>();
        CompletableFuture<Reply> current = syncing.compareAndExchange(null, fresh);
        if (current != null) {
            current.thenAccept(reply -> consumer.accept(syncFailure(key, reply)));
            return;
        }
        fresh.thenAccept(reply -> consumer.accept(syncFailure(key, reply)));
        read(key, reply -> {
            syncing.set(null);
            together.accept(() -> fresh.complete(reply));
        });
    }

    private @Nullable LeaseStoreException syncFailure(String key, Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            return error(key, failed.cause());
        }
        if (reply.outcome().date() == null) {
            return new LeaseStoreException(
                    "Replies of table " + store.name()
                            + " carry no 'Date', expected DynamoDB's time in each: leases cannot be kept there",
                    null);
        }
        return null;
    }

    /** The store's failure as callers see it; what is one already keeps its text behind the place. */
    LeaseStoreException error(String key, Throwable cause) {
        return error(List.of(key), cause);
    }

    LeaseStoreException error(List<String> keys, Throwable cause) {
        return failed("Lease " + Text.quoteAll(keys), cause);
    }

    /** The store's failure to list leases, as callers see it. */
    LeaseStoreException error(Throwable cause) {
        return failed("List of leases", cause);
    }

    private LeaseStoreException failed(String what, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
        String text = what + " in table " + store.name() + ": " + why;
        boolean wrapped = cause instanceof LeaseStoreException && cause.getCause() != null;
        return new LeaseStoreException(text, wrapped ? cause.getCause() : cause);
    }
}
