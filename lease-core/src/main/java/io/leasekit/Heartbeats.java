package io.leasekit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When each held lease has to look again, with one timer for the earliest. Those that are due together are woken together, and
 * what they renew goes out in batches ({@link Renewals}); renewals that would be due soon are taken along until the last batch is
 * full. None is delayed. Thread-safe.
 */
final class Heartbeats {

    private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);
    private static final int MAX_LOOKED_THROUGH = 8 * RenewBatch.MAX_COMMANDS;

    private static final Comparator<Place> BY_TIME = (a, b) -> {
        long later = a.due - b.due; // nanos may wrap
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    private final EngineTime time;
    private final Renewals renewals;
    private final AtomicLong count = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final NavigableSet<Place> places = new TreeSet<>(BY_TIME); // guarded by lock
    private EngineTime.@Nullable Timer timer; // guarded by lock
    private long armedFor; // guarded by lock
    private boolean waking; // guarded by lock

    /** One lease's place in the order. */
    static final class Place {
        private final HeldLease lease;
        private final long number;
        private long due; // guarded by the lock, as the rest
        private long early;
        private boolean taken;

        private Place(HeldLease lease, long number) {
            this.lease = lease;
            this.number = number;
        }
    }

    Heartbeats(EngineTime time, Renewals renewals) {
        this.time = time;
        this.renewals = renewals;
    }

    Place placeOf(HeldLease lease) {
        return new Place(lease, count.incrementAndGet());
    }

    /** Wakes the lease at this time, and not when it had asked for before; where others are renewed, it may be from {@code early} on. */
    void wakeAt(Place place, long early, long due) {
        lock.lock();
        try {
            leave(place);
            place.early = early;
            place.due = due;
            place.taken = places.add(place);
            if (!waking) {
                arm(due);
            }
        } finally {
            lock.unlock();
        }
    }

    void forget(Place place) {
        lock.lock();
        try {
            leave(place); // a timer that finds nothing due costs less than one that is set anew
        } finally {
            lock.unlock();
        }
    }

    private void leave(Place place) {
        if (place.taken) {
            places.remove(place);
            place.taken = false;
        }
    }

    private void arm(long due) {
        if (timer != null) {
            if (due - armedFor >= 0) {
                return;
            }
            timer.cancel();
        }
        armedFor = due;
        timer = time.schedule(Math.max(0, due - time.nanos()), this::wakeAll);
    }

    private void wakeAll() {
        if (!begin()) {
            return;
        }
        try {
            renewals.together(() -> {
                takeDue().forEach(HeldLease::look);
                takeEarly(renewals.room()).forEach(HeldLease::renewEarly);
            });
        } catch (RuntimeException e) {
            log.error("Lease engine failed while it woke leases; they are woken again when they are due next", e);
        } finally {
            end();
        }
    }

    private boolean begin() {
        lock.lock();
        try {
            timer = null;
            boolean isFirst = !waking;
            waking = true;
            return isFirst;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            waking = false;
            if (!places.isEmpty()) {
                arm(places.first().due);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<HeldLease> takeDue() {
        List<HeldLease> due = new ArrayList<>();
        lock.lock();
        try {
            long now = time.nanos();
            while (!places.isEmpty() && places.first().due - now <= 0) {
                Place first = places.first();
                leave(first);
                due.add(first.lease);
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    private List<HeldLease> takeEarly(int room) {
        List<HeldLease> early = new ArrayList<>();
        lock.lock();
        try {
            long now = time.nanos();
            Iterator<Place> next = places.iterator();
            for (int i = 0; i < MAX_LOOKED_THROUGH && early.size() < room && next.hasNext(); i++) {
                Place place = next.next();
                if (place.early - now <= 0) {
                    next.remove();
                    place.taken = false;
                    early.add(place.lease);
                }
            }
        } finally {
            lock.unlock();
        }
        return early;
    }
}
