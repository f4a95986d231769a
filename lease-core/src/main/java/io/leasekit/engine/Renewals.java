package io.leasekit.engine;

import io.leasekit.store.RenewBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The leases that wait for the turn of a renewal, in the order of their ends (protocol 5.10, 8). Those that wait together
 * are renewed in one request, also when a renewal is tried again. Thread-safe.
 */
final class Renewals implements Gate.Turn {

    private static final Comparator<Waiting> BY_END = (a, b) -> {
        long later = a.end - b.end; // nanos may wrap
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    private final LeaseRules rules;
    private final RenewalBatches batches;
    private final Gate gate;
    private final Sender sender;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(BY_END);
    private long count;
    private int collecting;
    private boolean asked; // this waits for a turn

    /** A lease that waits for the turn of its renewal. */
    interface Due {

        /** Adds the renewal to the batch, now or in a step that follows, unless the lease has ended meanwhile. */
        void onTurn(RenewalBatches.Batch batch);
    }

    private record Waiting(Due lease, long end, long ttl, boolean alone, long number) {}

    Renewals(LeaseRules rules, RenewalBatches batches, Gate gate, Sender sender) {
        this.rules = rules;
        this.batches = batches;
        this.gate = gate;
        this.sender = sender;
    }

    // ---- waiting

    /**
     * Adds a lease.
     *
     * @param end the monotonic time at which it ends unless it is renewed
     * @param ttl its time to live, in nanoseconds
     * @param alone whether its renewal needs a request of its own
     */
    void enter(Due lease, long end, long ttl, boolean alone) {
        boolean asks = locked(() -> waiting.add(new Waiting(lease, end, ttl, alone, count++)));
        if (asks) {
            ask();
        }
    }

    /** Runs a step. The leases that it adds are renewed together. */
    void together(Runnable step) {
        locked(() -> collecting++);
        try {
            step.run();
        } finally {
            if (locked(() -> collecting--)) {
                ask();
            }
        }
    }

    /** Changes the state; returns whether to ask for a turn now. */
    private boolean locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            boolean asks = collecting == 0 && !asked && !waiting.isEmpty();
            asked |= asks;
            return asks;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many more leases fit into the last request. */
    int room() {
        lock.lock();
        try {
            return Math.floorMod(-waiting.size(), batches.size());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all that wait fit into one request. */
    boolean areFew() {
        lock.lock();
        try {
            return waiting.size() < RenewBatch.MAX_COMMANDS;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the first lease is in the last third of its ttl. */
    @Override
    public boolean isUrgent(long now) {
        return firstIs(rules::isUrgent, now);
    }

    /** Returns whether renewals come so late that a new lease might not be renewed in time. */
    boolean areLate(long now) {
        return firstIs(rules::isLate, now);
    }

    private boolean firstIs(Part part, long now) {
        lock.lock();
        try {
            Waiting first = waiting.peek();
            return first != null && part.contains(first.end - now, first.ttl);
        } finally {
            lock.unlock();
        }
    }

    /** A part of a ttl. */
    private interface Part {
        boolean contains(long leftNanos, long ttlNanos);
    }

    // ---- turns

    private void ask() {
        boolean more = true;
        while (more) {
            Gate.Slot slot = gate.enter(Gate.Kind.RENEWAL, this);
            more = slot != null && proceed(slot);
        }
    }

    @Override
    public void onTurn(Gate.Slot slot) {
        if (proceed(slot)) {
            ask();
        }
    }

    /** Sends the next request; returns whether there are more. */
    private boolean proceed(Gate.Slot slot) {
        List<Waiting> next = new ArrayList<>();
        boolean more;
        lock.lock();
        try {
            int most = batches.size();
            while (fits(waiting.peek(), next, most)) {
                next.add(waiting.remove());
            }
            more = !waiting.isEmpty();
            asked = more;
        } finally {
            lock.unlock();
        }
        sender.later(sending -> send(next, slot));
        return more;
    }

    private static boolean fits(@Nullable Waiting first, List<Waiting> next, int most) {
        return first != null && (next.isEmpty() || (next.size() < most && !first.alone && !next.get(0).alone));
    }

    private void send(List<Waiting> next, Gate.Slot slot) {
        RenewalBatches.Batch batch = batches.open();
        try {
            next.forEach(due -> due.lease.onTurn(batch));
            batch.send(slot);
        } finally {
            slot.endUnlessUsed();
        }
    }
}
