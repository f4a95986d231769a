package io.leasekit.kernel;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.kernel.Renewer.Heartbeat;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes each held lease when the lease has something to do, such as a renewal. One timer serves all leases, and is set
 * for the lease that is due first. Leases that are due at the same time wake together, so that their renewals share
 * batches. Renewals that are due soon may fill a batch early, but no renewal waits for a batch. Thread-safe.
 */
@Internal
public final class RenewalSchedule {

    private static final Logger log = LoggerFactory.getLogger(RenewalSchedule.class);
    private static final int MAX_LOOKED_THROUGH = 8 * StoreRequest.Batch.MAX_COMMANDS;

    private static final Comparator<Heartbeat> BY_TIME = (a, b) -> {
        long later = a.due - b.due; // the difference stays correct if the monotonic time wraps
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    private final EngineTime time;
    private final RequestLimiter limiter;
    private final AtomicLong count = new AtomicLong();

    private final BriefLock lock = new BriefLock();

    // The lock guards the fields below.
    private final NavigableSet<Heartbeat> asleep = new TreeSet<>(BY_TIME);
    private EngineTime.@Nullable Timer timer;
    private long armedFor;
    private boolean waking;

    RenewalSchedule(EngineTime time, RequestLimiter limiter) {
        this.time = time;
        this.limiter = limiter;
    }

    /** The numbers order heartbeats that are due at the same time. */
    long nextNumber() {
        return count.incrementAndGet();
    }

    /**
     * Wakes the heartbeat at the monotonic time {@code due}, or from {@code early} on if its renewal can fill a batch.
     */
    void wakeAt(Heartbeat heartbeat, long early, long due) {
        lock.run(() -> {
            remove(heartbeat);
            heartbeat.early = early;
            heartbeat.due = due;
            heartbeat.isAsleep = asleep.add(heartbeat);
            if (!waking) {
                arm(asleep.first().due); // this call also sets a timer that an earlier call failed to set
            }
        });
    }

    void forget(Heartbeat heartbeat) {
        // The timer stays set, because a timer that finds nothing due costs less than a new timer.
        lock.run(() -> remove(heartbeat));
    }

    private void remove(Heartbeat heartbeat) {
        if (heartbeat.isAsleep) {
            asleep.remove(heartbeat);
            heartbeat.isAsleep = false;
        }
    }

    private void arm(long due) {
        if (timer != null) {
            if (due - armedFor >= 0) {
                return;
            }
            timer.cancel();
            timer = null; // a cancelled timer must not stay here if the schedule below fails
        }
        try {
            timer = time.schedule(Math.max(0, due - time.nanos()), this::onTimer);
        } catch (Throwable e) {
            // One retry follows, because without a timer nothing may wake these leases.
            Quietly.complain(e);
            timer = time.schedule(Math.max(0, due - time.nanos()), this::onTimer);
        }
        armedFor = due;
    }

    private void onTimer() {
        if (!begin()) {
            return;
        }
        try {
            limiter.together(() -> {
                takeDue().forEach(heartbeat -> wake(heartbeat, false));
                takeEarly().forEach(heartbeat -> wake(heartbeat, true));
            });
        } finally {
            lock.run(this::end);
        }
    }

    /** After a failure, wakes the lease again after 1 s, because nothing else would renew the lease. */
    private void wake(Heartbeat heartbeat, boolean isEarly) {
        try {
            heartbeat.wake(isEarly);
        } catch (Throwable e) {
            Quietly.run(() -> log.error("Lease engine failed to wake a lease; it tries again in 1 s", e));
            long again = time.nanos() + EngineTime.SECOND;
            wakeAt(heartbeat, again, again);
        }
    }

    private boolean begin() {
        return lock.get(() -> {
            if (waking) {
                return false;
            }
            waking = true;
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
            return true;
        });
    }

    private void end() {
        waking = false;
        if (!asleep.isEmpty()) {
            arm(asleep.first().due);
        }
    }

    private List<Heartbeat> takeDue() {
        return lock.get(() -> {
            List<Heartbeat> due = new ArrayList<>();
            long now = time.nanos();
            while (!asleep.isEmpty() && asleep.first().due - now <= 0) {
                Heartbeat first = asleep.first();
                remove(first);
                due.add(first);
            }
            return due;
        });
    }

    private List<Heartbeat> takeEarly() {
        return lock.get(() -> {
            List<Heartbeat> early = new ArrayList<>();
            long now = time.nanos();
            Iterator<Heartbeat> next = asleep.iterator();
            int room = 1; // this placeholder avoids the lock of limiter.room() until a heartbeat may join
            for (int i = 0; i < MAX_LOOKED_THROUGH && early.size() < room && next.hasNext(); i++) {
                Heartbeat heartbeat = next.next();
                if (heartbeat.early - now <= 0) {
                    room = early.isEmpty() ? limiter.room() : room;
                    if (room > 0) {
                        next.remove();
                        heartbeat.isAsleep = false;
                        early.add(heartbeat);
                    }
                }
            }
            return early;
        });
    }
}
