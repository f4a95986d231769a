package io.leasekit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of renewals to the store: those that are decided in one step go out {@link #together} in batches, others at once. What a
 * batch is denied is sent again one by one; when that shows that it is batches which are denied, none is sent any more.
 *
 * <p>A reply tells the time once, of however many leases it tells: two that agree are two requests' (protocol 4.2). Thread-safe.
 */
final class Renewals {

    private static final Logger log = LoggerFactory.getLogger(Renewals.class);

    private final LeaseEngine engine;
    private final AtomicBoolean denied = new AtomicBoolean();

    /** What a thread collects: what others decide meanwhile goes out at once, so nothing waits for anybody. */
    @SuppressWarnings("ThreadLocalUsage") // each manager's by itself, and removed after the step
    private final ThreadLocal<@Nullable Collected> collecting = new ThreadLocal<>();

    private static final class Collected {
        private final List<Renewal> renewals = new ArrayList<>();
        private double share;
    }

    /**
     * One lease's renewal on its way.
     *
     * @param reading the clock that it was made with, read before it was sent
     * @param until the monotonic time at which nobody waits for its reply any more
     * @param lease whose it is
     */
    private record Renewal(
            RenewCommand command,
            BoundedClock.Reading reading,
            long until,
            HeldLease lease,
            CompletableFuture<StoreReply> reply) {

        long patience() {
            return until - reading.sent();
        }

        /** After its release, or its end, no renewal is sent again (5.6, 5.7). */
        boolean isWanted(long now) {
            return lease.validity() != null && until - now > 0;
        }
    }

    /** What is known of a batch. */
    private static final class Sent {
        private final AtomicBoolean dated = new AtomicBoolean();
        private volatile boolean accepted;
    }

    Renewals(LeaseEngine engine) {
        this.engine = engine;
    }

    /** Sends what this step renews on this thread together, at its end. */
    void together(Runnable step) {
        if (collecting.get() != null || denied.get()) {
            step.run();
            return;
        }
        Collected collected = new Collected();
        collecting.set(collected);
        try {
            step.run();
        } finally {
            collecting.remove();
            sendInBatches(collected.renewals);
        }
    }

    /** Returns how many more renewals fill up the last batch that is being collected. */
    int room() {
        Collected collected = collecting.get();
        return collected == null ? 0 : Math.floorMod(-collected.renewals.size(), RenewBatch.MAX_COMMANDS);
    }

    /** Returns which part of its jitter the next renewal takes: the same for those of one batch, which so stay together. */
    double share() {
        Collected collected = collecting.get();
        if (collected == null) {
            return engine.random.nextDouble();
        }
        if (collected.renewals.size() % RenewBatch.MAX_COMMANDS == 0) {
            collected.share = engine.random.nextDouble();
        }
        return collected.share;
    }

    /** Sends a renewal, at once or with those that are being collected. */
    CompletionStage<StoreReply> send(
            RenewCommand command, BoundedClock.Reading reading, HeldLease lease, Duration timeout) {
        Renewal renewal =
                new Renewal(command, reading, reading.sent() + timeout.toNanos(), lease, new CompletableFuture<>());
        Collected collected = collecting.get();
        if (collected == null) {
            write(renewal);
        } else {
            collected.renewals.add(renewal);
        }
        return renewal.reply;
    }

    /** Those with the same patience go together, and no key twice in one batch. */
    private void sendInBatches(List<Renewal> renewals) {
        renewals.sort(Comparator.comparingLong(Renewal::patience));
        List<Renewal> batch = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (Renewal renewal : renewals) {
            if (renewal.lease.validity() == null) {
                renewal.reply.complete(
                        ended()); // on another thread meanwhile: after its release no renewal starts (5.6)
            } else if (keys.add(renewal.command.key())) {
                batch.add(renewal);
            } else {
                write(renewal); // one of two leases of this key is lost, and does not know it yet
            }
            if (batch.size() == RenewBatch.MAX_COMMANDS) {
                sendTogether(batch);
                batch = new ArrayList<>();
            }
        }
        sendTogether(batch);
    }

    private static StoreReply ended() {
        Throwable cause = new IllegalStateException("Lease has ended before its renewal was sent");
        return new StoreReply.Failed(StoreReply.FailureKind.NOT_APPLIED, cause, null, false);
    }

    private void sendTogether(List<Renewal> batch) {
        if (batch.size() < 2) {
            batch.forEach(this::write);
            return;
        }
        List<CompletionStage<StoreReply>> replies = renewEach(batch);
        Sent sent = new Sent();
        for (int i = 0; i < batch.size(); i++) {
            Renewal renewal = batch.get(i);
            replies.get(i)
                    .whenComplete(
                            (reply, error) -> onReply(sent, renewal, answered(sent.dated, renewal, reply, error)));
        }
    }

    private List<CompletionStage<StoreReply>> renewEach(List<Renewal> batch) {
        try {
            List<CompletionStage<StoreReply>> replies = engine.store.renewEach(
                    new RenewBatch(batch.stream().map(Renewal::command).toList()), timeout(batch));
            if (replies.size() != batch.size()) {
                throw new IllegalStateException(
                        "Store answered " + replies.size() + " of " + batch.size() + " renewals");
            }
            return replies;
        } catch (RuntimeException e) {
            return batch.stream()
                    .map(renewal -> CompletableFuture.<StoreReply>failedStage(e))
                    .toList();
        }
    }

    /** No request outlives one of its leases (5.7). */
    private Duration timeout(List<Renewal> batch) {
        long now = engine.time.nanos();
        long left =
                batch.stream().mapToLong(renewal -> renewal.until - now).min().orElse(1);
        return Duration.ofNanos(Math.max(1, left));
    }

    /**
     * What was rejected is sent again by itself, and so is what was refused by an item that is not shown: there may be none, or a
     * server that does not show it. Neither was applied; and were it, its own version in the refusal would confirm it.
     */
    private void onReply(Sent sent, Renewal renewal, StoreReply reply) {
        boolean rejected = isRejected(reply);
        if (!rejected) {
            sent.accepted = true;
        }
        if (!(rejected || showsNothing(reply)) || !renewal.isWanted(engine.time.nanos())) {
            renewal.reply.complete(reply);
            return;
        }
        if (rejected) {
            renewal.reply.whenComplete((alone, never) -> compare(sent, (StoreReply.Failed) reply, alone));
        }
        write(renewal);
    }

    /** Goes on without batches if one by one they are not denied. */
    private void compare(Sent sent, StoreReply.Failed together, @Nullable StoreReply alone) {
        boolean isAnswer = alone instanceof StoreReply.Applied || alone instanceof StoreReply.Refused;
        if (isAnswer && !sent.accepted && denied.compareAndSet(false, true)) {
            log.info(
                    "Renewals in table {} go out each by itself from now on: in one request they were denied, by \"{}\"; the"
                            + " IAM action 'dynamodb:PartiQLUpdate' would allow it",
                    engine.store.name(),
                    Text.plain(String.valueOf(together.cause().getMessage())));
        }
    }

    private static boolean showsNothing(StoreReply reply) {
        return reply instanceof StoreReply.Refused refused && refused.item() == null;
    }

    private static boolean isRejected(StoreReply reply) {
        return reply instanceof StoreReply.Failed failed && failed.kind() == StoreReply.FailureKind.REJECTED;
    }

    private void write(Renewal renewal) {
        CompletionStage<StoreReply> stage;
        try {
            stage = engine.store.write(renewal.command, timeout(List.of(renewal)));
        } catch (RuntimeException e) {
            stage = CompletableFuture.failedStage(e);
        }
        AtomicBoolean dated = new AtomicBoolean();
        stage.whenComplete((reply, error) -> renewal.reply.complete(answered(dated, renewal, reply, error)));
    }

    /** Takes the time from a reply, the first of a request's. */
    private StoreReply answered(
            AtomicBoolean dated, Renewal renewal, @Nullable StoreReply reply, @Nullable Throwable error) {
        StoreReply known = reply != null ? reply : Requests.unknown(error);
        if (known.date() != null && dated.compareAndSet(false, true)) {
            engine.requests.tellTime(renewal.reading, known);
        }
        return known;
    }
}
