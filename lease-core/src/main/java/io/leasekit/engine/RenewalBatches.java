package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Sends renewals, several in one request (protocol 5.10). During a {@link BatchPause} each renewal is a request of its
 * own. Thread-safe.
 */
final class RenewalBatches {

    private final Requests requests;
    private final Gate gate;
    private final Sender sender;
    private final EngineTime time;
    private final RandomGenerator random;
    private final BatchPause pause;

    /** Takes the reply to a renewal. */
    interface Receiver {

        /** {@code together}: the renewal was sent in one request with others. */
        void onReply(Requests.Reply reply, boolean together);
    }

    /**
     * The renewal of one lease.
     *
     * @param commands its write, or one for each item of a lease of several keys
     * @param reading the clock reading for the write, taken before it is sent
     * @param until the monotonic time until which its reply is awaited
     * @param isHeld whether the lease has not ended meanwhile; no renewal is sent after its end (5.6)
     * @param onReply called once with the reply or with a timeout
     * @param onLateReply called with a reply after the timeout
     */
    record Renewal(
            List<RenewCommand> commands,
            BoundedClock.Reading reading,
            long until,
            BooleanSupplier isHeld,
            Receiver onReply,
            Consumer<Requests.Reply> onLateReply) {

        private String key() {
            return commands.get(0).key();
        }
    }

    RenewalBatches(
            Requests requests, Gate gate, Sender sender, EngineTime time, RandomGenerator random, BatchPause pause) {
        this.requests = requests;
        this.gate = gate;
        this.sender = sender;
        this.time = time;
        this.random = random;
        this.pause = pause;
    }

    /** Opens a batch that collects on this thread. */
    Batch open() {
        return new Batch();
    }

    /** Returns how many renewals fit into one request at present. */
    int size() {
        return pause.size();
    }

    /** Collects the renewals of one request on one thread. Those that other threads add are sent at once. */
    final class Batch {
        private final Thread collector = Thread.currentThread();
        private final List<Renewal> renewals = new ArrayList<>();
        private final double share = random.nextDouble();
        private boolean sent; // touched by the collector only

        /** Returns the share of jitter for the next renewal. Renewals of one request share it, so they stay together. */
        double share() {
            return share;
        }

        void add(Renewal renewal) {
            if (Thread.currentThread() == collector && !sent) {
                renewals.add(renewal);
            } else {
                sendAlone(renewal);
            }
        }

        /** Sends the collected renewals on the calling thread. */
        void send(Gate.Slot slot) {
            sent = true;
            List<Renewal> chosen = new ArrayList<>();
            Set<String> keys = new HashSet<>();
            for (Renewal renewal : renewals) {
                if (!renewal.isHeld.getAsBoolean()) {
                    renewal.onReply.onReply(ended(renewal), false); // ended on another thread meanwhile (5.6)
                } else if (keys.add(renewal.key())) {
                    chosen.add(renewal);
                } else {
                    sendAlone(renewal); // one of two leases of this key is lost, not yet noticed
                }
            }
            if (chosen.size() == 1) {
                Renewal one = chosen.get(0);
                requests.write(slot, one.commands, pending(one, false));
            } else if (!chosen.isEmpty()) {
                sendTogether(slot, chosen);
            }
        }
    }

    private void sendAlone(Renewal renewal) {
        Gate.Slot slot = gate.extra(Gate.Kind.RENEWAL);
        sender.later(sending -> requests.write(slot, renewal.commands, pending(renewal, false)));
    }

    private Requests.Pending pending(Renewal renewal, boolean together) {
        return new Requests.Pending(
                renewal.reading, left(renewal), reply -> receive(renewal, reply, together), renewal.onLateReply);
    }

    private void receive(Renewal renewal, Requests.Reply reply, boolean together) {
        if (together) {
            pause.judge(reply.outcome());
        }
        renewal.onReply.onReply(reply, together);
    }

    private long left(Renewal renewal) {
        return Math.max(1, renewal.until - time.nanos());
    }

    private Requests.Reply ended(Renewal renewal) {
        Throwable cause = new IllegalStateException("Lease has ended before its renewal was sent");
        StoreReply outcome = new StoreReply.Failed(FailureKind.NOT_APPLIED, cause, null, false);
        return new Requests.Reply(outcome, renewal.reading.sent(), time.nanos());
    }

    private void sendTogether(Gate.Slot slot, List<Renewal> batch) {
        requests.renewEach(
                slot,
                new RenewBatch(
                        batch.stream().map(renewal -> renewal.commands.get(0)).toList()),
                batch.stream().mapToLong(this::left).max().orElse(1),
                batch.stream().map(renewal -> pending(renewal, true)).toList());
    }
}
