package io.leasekit.requests;

import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreRequest;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The queue of leases that wait for a renewal, ordered by the times at which they end (protocol 5.10, 8). Leases that
 * would end before the reply to their renewal go last. One request renews many waiting leases, also when renewals are
 * retried. During a {@link BatchBackoff}, each renewal is a separate request. Thread-safe.
 */
@Internal
public final class Renewals implements RequestLimiter.Turn {

    private static final Comparator<Waiting> BY_END = (a, b) -> {
        long later = a.end - b.end; // nanos may wrap
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    private final RequestRules rules;
    private final Requests requests;
    private final RequestLimiter limiter;
    private final Sender sender;
    private final EngineTime time;
    private final RandomGenerator random;
    private final BatchBackoff backoff;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(BY_END);
    private final Deque<Waiting> tooLate = new ArrayDeque<>(); // leases that would end before the reply
    private long count;
    private int collecting;
    private boolean asked; // whether this queue waits for permission to send

    /** A lease that waits for its renewal. */
    public interface Due {

        /**
         * Adds the renewal of this lease to the batch, either during this call or later. Adds nothing if the lease has
         * ended, or if DynamoDB's time must be read before a renewal.
         */
        void addTo(Batch batch);
    }

    private record Waiting(Due due, long end, long ttl, boolean alone, long number) {}

    /**
     * The renewal of one lease.
     *
     * @param commands the write of the renewal; for a lease of several keys, one write for each item
     * @param reading the clock reading for the write, taken before the write is sent
     * @param until the monotonic time at which the wait for the reply ends
     * @param isHeld returns whether the lease is still held; if not, the renewal is not sent (protocol 5.6)
     * @param onReply called once if the renewal was sent; gets the reply or a timeout, and {@code true} if the renewal
     *     was sent in a batch with others
     * @param onLateReply called with a reply that arrives after the timeout
     */
    public record Renewal(
            List<RenewCommand> commands,
            BoundedClock.Reading reading,
            long until,
            BooleanSupplier isHeld,
            BiConsumer<Requests.Reply, Boolean> onReply,
            Consumer<Requests.Reply> onLateReply) {

        private String key() {
            return commands.get(0).key();
        }
    }

    public Renewals(
            RequestRules rules,
            Requests requests,
            RequestLimiter limiter,
            Sender sender,
            EngineTime time,
            RandomGenerator random,
            BatchBackoff backoff) {
        this.rules = rules;
        this.requests = requests;
        this.limiter = limiter;
        this.sender = sender;
        this.time = time;
        this.random = random;
        this.backoff = backoff;
    }

    /**
     * Adds a lease.
     *
     * @param end the monotonic time at which the lease ends; the queue is ordered by these times
     * @param ttl the time to live of the lease, in nanoseconds
     * @param alone whether the renewal must be sent in a request of its own
     */
    public void enter(Due due, long end, long ttl, boolean alone) {
        change(() -> waiting.add(new Waiting(due, end, ttl, alone, count++)));
    }

    /** Runs a step. The leases that the step adds to the queue are renewed together. */
    public void together(Runnable step) {
        change(() -> collecting++);
        try {
            step.run();
        } finally {
            change(() -> collecting--);
        }
    }

    private void change(Runnable change) {
        boolean asks;
        lock.lock();
        try {
            change.run();
            asks = collecting == 0 && !asked && !waiting.isEmpty();
            asked |= asks;
        } finally {
            lock.unlock();
        }
        if (asks) {
            limiter.ask(RequestLimiter.Kind.RENEWAL, this);
        }
    }

    /** Returns how many more leases fit into the last of the requests that renew the waiting leases. */
    public int room() {
        return Math.floorMod(-size(), backoff.mostTogether());
    }

    /** Returns whether the waiting leases and one more lease fit into one batch. */
    public boolean areFew() {
        return size() < StoreRequest.Batch.MAX_COMMANDS;
    }

    private int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the first lease in the queue is in the last third of its ttl. */
    @Override
    public boolean isUrgent(long now) {
        Waiting first = first();
        return first != null && rules.isUrgent(first.end - now, first.ttl);
    }

    /** Returns whether the first renewal in the queue is so late that a new lease might not be renewed in time. */
    public boolean areLate(long now) {
        Waiting first = first();
        return first != null && rules.isLate(first.end - now, first.ttl);
    }

    private @Nullable Waiting first() {
        lock.lock();
        try {
            return waiting.peek();
        } finally {
            lock.unlock();
        }
    }

    /** Takes leases from the queue and renews them in one request. */
    @Override
    public boolean onTurn(RequestLimiter.Place place) {
        List<Waiting> next = new ArrayList<>();
        boolean more = take(next, time.nanos(), limiter.trip());
        sender.later(sending -> send(next, place));
        return more;
    }

    private boolean take(List<Waiting> next, long now, long trip) {
        lock.lock();
        try {
            putOffTooLate(now, trip);
            int most = backoff.mostTogether();
            Queue<Waiting> line = waiting.isEmpty() ? tooLate : waiting;
            while (fits(line.peek(), next, most)) {
                next.add(line.remove());
            }
            asked = !waiting.isEmpty() || !tooLate.isEmpty();
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves leases that would end before the reply to their renewal behind all others. If they stayed in front, every
     * renewal would be too late while the table is slow.
     */
    private void putOffTooLate(long now, long trip) {
        while (waiting.size() > StoreRequest.Batch.MAX_COMMANDS && rules.isTooLate(waiting.element().end - now, trip)) {
            tooLate.add(waiting.remove());
        }
    }

    private static boolean fits(@Nullable Waiting first, List<Waiting> next, int most) {
        return first != null && (next.isEmpty() || (next.size() < most && !first.alone && !next.get(0).alone));
    }

    private void send(List<Waiting> next, RequestLimiter.Place place) {
        Batch batch = new Batch();
        try {
            next.forEach(one -> one.due.addTo(batch));
            batch.send(place);
        } finally {
            place.endUnlessUsed();
        }
    }

    // ---- sending

    /**
     * Collects the renewals of one request. Only renewals that are added on the thread that created the batch are
     * collected. A renewal that another thread adds is sent at once, in a request of its own.
     */
    public final class Batch {
        private final Thread collector = Thread.currentThread();
        private final List<Renewal> renewals = new ArrayList<>();
        private final double share = random.nextDouble();
        private boolean sent; // touched by the collector only

        /**
         * Returns the random share of the jitter, from 0 to 1, for the next renewal. All renewals of one request have
         * the same share, so their leases are also renewed together the next time.
         */
        public double share() {
            return share;
        }

        public void add(Renewal renewal) {
            if (Thread.currentThread().equals(collector) && !sent) {
                renewals.add(renewal);
            } else {
                sendAlone(renewal);
            }
        }

        private void send(RequestLimiter.Place place) {
            sent = true;
            List<Renewal> chosen = new ArrayList<>();
            Set<String> keys = new HashSet<>();
            renewals.removeIf(renewal -> !renewal.isHeld.getAsBoolean()); // ended on another thread (protocol 5.6)
            for (Renewal renewal : renewals) {
                if (keys.add(renewal.key())) {
                    chosen.add(renewal);
                } else {
                    sendAlone(renewal); // one of two leases of this key is lost, but not yet noticed
                }
            }
            if (chosen.size() == 1) {
                Renewal one = chosen.get(0);
                requests.write(place, one.commands, alone(one));
            } else if (!chosen.isEmpty()) {
                sendTogether(place, chosen);
            }
        }
    }

    private void sendAlone(Renewal renewal) {
        RequestLimiter.Place place = limiter.extra(RequestLimiter.Kind.RENEWAL);
        sender.later(sending -> {
            if (renewal.isHeld.getAsBoolean()) {
                requests.write(place, renewal.commands, alone(renewal));
            } else {
                place.endUnlessUsed();
            }
        });
    }

    private void sendTogether(RequestLimiter.Place place, List<Renewal> renewals) {
        BatchBackoff.Verdict verdict = backoff.new Verdict();
        requests.writeEach(
                place,
                new StoreRequest.Batch(renewals.stream()
                        .<LeaseCommand>map(renewal -> renewal.commands.get(0))
                        .toList()),
                renewals.stream().mapToLong(this::left).max().orElse(1),
                renewals.stream()
                        .map(renewal -> pending(renewal, reply -> {
                            verdict.judge(reply.outcome());
                            renewal.onReply.accept(reply, true);
                        }))
                        .toList());
    }

    private Requests.Pending alone(Renewal renewal) {
        return pending(renewal, reply -> {
            backoff.judgeSingle(reply.outcome());
            renewal.onReply.accept(reply, false);
        });
    }

    private Requests.Pending pending(Renewal renewal, Consumer<Requests.Reply> onReply) {
        return new Requests.Pending(renewal.reading, left(renewal), onReply, renewal.onLateReply);
    }

    private long left(Renewal renewal) {
        return Math.max(1, renewal.until - time.nanos());
    }
}
