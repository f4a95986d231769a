package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.Renewals;
import io.leasekit.store.StoreRequest;
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
 * Wakes each held lease when it is due, with one timer for the earliest. Leases that are due together are woken
 * together, so their renewals go out in batches. Renewals that are due soon join until the last batch is full. No
 * renewal is delayed. Thread-safe.
 */
final class WakeUps {

    private static final Logger log = LoggerFactory.getLogger(WakeUps.class);
    private static final int MAX_LOOKED_THROUGH = 8 * StoreRequest.Batch.MAX_COMMANDS;

    private static final Comparator<Sleeper> BY_TIME = (a, b) -> {
        long later = a.due - b.due; // nanos may wrap
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    private final EngineTime time;
    private final Renewals renewals;
    private final AtomicLong count = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final NavigableSet<Sleeper> sleepers = new TreeSet<>(BY_TIME); // guarded by lock
    private EngineTime.@Nullable Timer timer; // guarded by lock
    private long armedFor; // guarded by lock
    private boolean waking; // guarded by lock

    /** A sleeper to be woken. A base class rather than a separate object, because each held lease has one. */
    abstract static class Sleeper {
        private final long number;
        private long due; // guarded by the lock, like the fields below
        private long early;
        private boolean asleep;

        Sleeper(WakeUps wakeUps) {
            number = wakeUps.count.incrementAndGet();
        }

        /** Called at the requested time. */
        abstract void onDue();

        /** Called before that time, as the sleeper allowed, because others are being renewed. */
        abstract void onEarly();
    }

    WakeUps(EngineTime time, Renewals renewals) {
        this.time = time;
        this.renewals = renewals;
    }

    /**
     * Wakes the sleeper when it is due, in place of its earlier request. From {@code early} on it may join renewals of
     * others.
     */
    void wakeAt(Sleeper sleeper, long early, long due) {
        lock.lock();
        try {
            remove(sleeper);
            sleeper.early = early;
            sleeper.due = due;
            sleeper.asleep = sleepers.add(sleeper);
            if (!waking) {
                arm(due);
            }
        } finally {
            lock.unlock();
        }
    }

    void forget(Sleeper sleeper) {
        lock.lock();
        try {
            remove(sleeper); // a timer that finds nothing due costs less than setting a new one
        } finally {
            lock.unlock();
        }
    }

    private void remove(Sleeper sleeper) {
        if (sleeper.asleep) {
            sleepers.remove(sleeper);
            sleeper.asleep = false;
        }
    }

    private void arm(long due) {
        if (timer != null) {
            if (due - armedFor >= 0) {
                return;
            }
            timer.cancel();
            timer = null; // so a failure to set the next one is not taken for it
        }
        timer = time.schedule(Math.max(0, due - time.nanos()), this::onTimer);
        armedFor = due;
    }

    private void onTimer() {
        lock.lock();
        try {
            timer = null;
        } finally {
            lock.unlock();
        }
        wakeDue();
    }

    /** Wakes the due sleepers on the calling thread. Does nothing while another thread does so. */
    void wakeDue() {
        if (!begin()) {
            return;
        }
        try {
            renewals.together(() -> {
                takeDue().forEach(sleeper -> wake(sleeper, sleeper::onDue));
                takeEarly().forEach(sleeper -> wake(sleeper, sleeper::onEarly));
            });
        } finally {
            end();
        }
    }

    /** Wakes a sleeper, and again later if that fails, so that no lease is forgotten. */
    private void wake(Sleeper sleeper, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            Quietly.run(() -> log.error("Lease engine failed to wake a lease; it tries again in 1 s", e));
            long again = time.nanos() + EngineTime.SECOND;
            wakeAt(sleeper, again, again);
        }
    }

    private boolean begin() {
        lock.lock();
        try {
            if (waking) {
                return false;
            }
            waking = true;
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            waking = false;
            if (!sleepers.isEmpty()) {
                arm(sleepers.first().due);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Sleeper> takeDue() {
        List<Sleeper> due = new ArrayList<>();
        lock.lock();
        try {
            long now = time.nanos();
            while (!sleepers.isEmpty() && sleepers.first().due - now <= 0) {
                Sleeper first = sleepers.first();
                remove(first);
                due.add(first);
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    private List<Sleeper> takeEarly() {
        List<Sleeper> early = new ArrayList<>();
        lock.lock();
        try {
            long now = time.nanos();
            Iterator<Sleeper> next = sleepers.iterator();
            int room = 1; // at least, until the first that may join asks for it
            for (int i = 0; i < MAX_LOOKED_THROUGH && early.size() < room && next.hasNext(); i++) {
                Sleeper sleeper = next.next();
                if (sleeper.early - now <= 0) {
                    room = early.isEmpty() ? renewals.room() : room;
                    if (room > 0) {
                        next.remove();
                        sleeper.asleep = false;
                        early.add(sleeper);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        return early;
    }
}
