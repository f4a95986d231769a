package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Text;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends renewals that fall due together in batches (protocol 5.5). Rejected renewals are retried singly. If those are
 * answered, batching is switched off. Thread-safe.
 */
final class RenewalBatches {

    private static final Logger log = LoggerFactory.getLogger(RenewalBatches.class);

    private final Requests requests;
    private final EngineTime time;
    private final RandomGenerator random;
    private final String table;
    private final AtomicBoolean denied = new AtomicBoolean();

    /**
     * The renewal of one lease.
     *
     * @param command its write
     * @param reading the clock reading for the write, taken before it is sent
     * @param until the monotonic time until which its reply is awaited
     * @param isHeld whether the lease has not ended meanwhile; no renewal is sent after its end (5.6)
     * @param onReply called once with the reply or with a timeout
     * @param onLateReply called with a reply after the timeout
     */
    record Renewal(
            RenewCommand command,
            BoundedClock.Reading reading,
            long until,
            BooleanSupplier isHeld,
            Consumer<Requests.Reply> onReply,
            Consumer<Requests.Reply> onLateReply) {

        private long timeoutNanos() {
            return until - reading.sent();
        }
    }

    /**
     * Collects the renewals that one thread decides in one step. Renewals that other threads decide meanwhile are sent
     * at once, so no renewal waits for another thread.
     */
    final class Batch {
        private final Thread collector = Thread.currentThread();
        private final boolean collects = !denied.get();
        private final List<Renewal> renewals = new ArrayList<>();
        private double share;
        private boolean sent;

        private boolean isMine() {
            return collects && Thread.currentThread() == collector && !sent;
        }

        /** Returns how many more renewals fit into the last request. */
        int room() {
            return collects ? Math.floorMod(-renewals.size(), RenewBatch.MAX_COMMANDS) : 0;
        }

        /** Sends the collected renewals. */
        void send() {
            sent = true;
            sendInBatches(renewals);
        }
    }

    RenewalBatches(Requests requests, EngineTime time, RandomGenerator random, String table) {
        this.requests = requests;
        this.time = time;
        this.random = random;
        this.table = table;
    }

    /** Opens a batch that collects on this thread. */
    Batch open() {
        return new Batch();
    }

    /** Returns the share of jitter for the next renewal. Renewals of one request share it, so they stay together. */
    double share(@Nullable Batch batch) {
        if (batch == null || !batch.isMine()) {
            return random.nextDouble();
        }
        if (batch.renewals.size() % RenewBatch.MAX_COMMANDS == 0) {
            batch.share = random.nextDouble();
        }
        return batch.share;
    }

    /** Sends a renewal with the batch, or at once. */
    void send(@Nullable Batch batch, Renewal renewal) {
        if (batch != null && batch.isMine()) {
            batch.renewals.add(renewal);
        } else {
            sendAlone(renewal, renewal.onReply);
        }
    }

    private void sendAlone(Renewal renewal, Consumer<Requests.Reply> onReply) {
        requests.write(List.of(renewal.command), pending(renewal, onReply));
    }

    private Requests.Pending pending(Renewal renewal, Consumer<Requests.Reply> onReply) {
        long left = renewal.until - time.nanos();
        return new Requests.Pending(renewal.reading, Math.max(1, left), onReply, renewal.onLateReply);
    }

    /** Groups renewals with similar timeouts. No request names a key twice. */
    private void sendInBatches(List<Renewal> renewals) {
        renewals.sort(Comparator.comparingLong(Renewal::timeoutNanos));
        List<Renewal> batch = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (Renewal renewal : renewals) {
            if (!renewal.isHeld.getAsBoolean()) {
                renewal.onReply.accept(ended(renewal)); // ended on another thread meanwhile (5.6)
            } else if (keys.add(renewal.command.key())) {
                batch.add(renewal);
            } else {
                sendAlone(renewal, renewal.onReply); // one of two leases of this key is lost, not yet noticed
            }
            if (batch.size() == RenewBatch.MAX_COMMANDS) {
                sendTogether(batch);
                batch = new ArrayList<>();
            }
        }
        sendTogether(batch);
    }

    private Requests.Reply ended(Renewal renewal) {
        Throwable cause = new IllegalStateException("Lease has ended before its renewal was sent");
        StoreReply outcome = new StoreReply.Failed(StoreReply.FailureKind.NOT_APPLIED, cause, null, false);
        return new Requests.Reply(outcome, renewal.reading.sent(), time.nanos());
    }

    private void sendTogether(List<Renewal> batch) {
        if (batch.size() < 2) {
            batch.forEach(renewal -> sendAlone(renewal, renewal.onReply));
            return;
        }
        long now = time.nanos();
        long left =
                batch.stream().mapToLong(renewal -> renewal.until - now).min().orElse(1); // 5.7
        AtomicBoolean accepted = new AtomicBoolean();
        requests.renewEach(
                new RenewBatch(batch.stream().map(Renewal::command).toList()),
                Math.max(1, left),
                batch.stream()
                        .map(renewal -> pending(renewal, reply -> onReply(accepted, renewal, reply)))
                        .toList());
    }

    /**
     * Retries singly a renewal that was rejected, or that was refused without showing an item. Neither was applied. In
     * the second case the item is missing, or the server does not return items. If a copy was applied after all, its
     * own version confirms it.
     */
    private void onReply(AtomicBoolean accepted, Renewal renewal, Requests.Reply reply) {
        StoreReply.Failed rejected = rejected(reply.outcome());
        if (rejected == null) {
            accepted.set(true);
        }
        boolean isWanted = renewal.isHeld.getAsBoolean() && renewal.until - time.nanos() > 0;
        if (!isWanted || (rejected == null && !showsNothing(reply.outcome()))) {
            renewal.onReply.accept(reply);
        } else if (rejected == null) {
            sendAlone(renewal, renewal.onReply);
        } else {
            sendAlone(renewal, alone -> {
                compare(accepted, rejected, alone.outcome());
                renewal.onReply.accept(alone);
            });
        }
    }

    /** Switches batching off if a renewal rejected in a batch is answered when sent singly. */
    private void compare(AtomicBoolean accepted, StoreReply.Failed together, StoreReply alone) {
        boolean isAnswer = alone instanceof StoreReply.Applied || alone instanceof StoreReply.Refused;
        if (isAnswer && !accepted.get() && denied.compareAndSet(false, true)) {
            log.info(
                    "Renewals in table {} are sent singly from now on, because batches were rejected: \"{}\"; the IAM action"
                            + " 'dynamodb:PartiQLUpdate' allows them",
                    table,
                    Text.plain(String.valueOf(together.cause().getMessage())));
        }
    }

    private static boolean showsNothing(StoreReply reply) {
        return reply instanceof StoreReply.Refused refused && refused.item() == null;
    }

    private static StoreReply.@Nullable Failed rejected(StoreReply reply) {
        return reply instanceof StoreReply.Failed failed && failed.kind() == StoreReply.FailureKind.REJECTED
                ? failed
                : null;
    }
}
