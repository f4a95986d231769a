package io.leasekit.observe;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Statistics about one key, as this process saw them (protocol 6.3): the last owners, the average time for which an
 * owner held the lease, and the typical duration of a request. For a key with permits, one {@code Contention} object
 * covers all permits. The statistics determine how long a waiter waits between two reads of the item. The statistics
 * also determine how long a process that released the lease lets other processes acquire first. Wrong statistics cost
 * time or requests, but never safety. Thread-safe.
 *
 * <p>Suppose that <i>n</i> processes acquire the lease one after the other, and each holds it for a time <i>t</i>. A
 * waiter's first delay is <i>nt</i>: the time until each process has held the lease once. Later delays shrink with the
 * time {@code waited} since the wait began: {@code nt / (1 + waited / (0.8 nt))^2}. With this formula, the waiters that
 * have waited longest read most often, and the number of reads per grant hardly depends on <i>n</i> and <i>t</i>. If
 * processes hold the lease for much less than the round trip of a request, a waiter sends its acquire without reading
 * the item first, because the read would be outdated when its reply arrives. The formula and its constants come from
 * simulations of 1 to 32 processes, with hold times of 5 ms to 5 s and round trips of 3 to 50 ms. For a key with
 * several permits, <i>nt</i> is divided by the number of permits ({@code PermitTurnsTest}).
 */
@Internal
public final class Contention {

    private static final int REMEMBERED = 32;
    private static final int ALONE = 4;
    private static final long FORGOTTEN = 2 * SECOND;
    private static final long SHORTEST_TRIP = 4 * MILLI;
    private static final long LONGEST_TRIP = SECOND / 4;
    private static final double TRIPS_A_TURN = 2.5; // the least hold time in the formula, in round trips
    private static final double LEAST_TRIPS_A_TURN = 1.6; // the least hold time for few processes, in round trips
    private static final double TRIPS_BY_PROCESS = 0.16; // for each process, up to TRIPS_A_TURN
    private static final double TRIPS_A_DELAY = 1.6;
    private static final double TRIPS_A_DELAY_OF_A_SLOT = 0.8;
    private static final double PATIENCE = 0.8;
    private static final long QUICK_TRIPS = 4;
    private static final double LOOKS_A_TURN = 12;
    private static final double LOOKS_A_TURN_OF_A_SLOT = 4; // one read shows all slots

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<String> owners = new ArrayDeque<>(2); // the last owners seen, except this process
    private long roundTrip = 10 * MILLI; // about the median duration of requests for the key
    private long turn; // average time for which a lease was seen held, at most the hold time
    private int alone; // leases acquired in a row without seeing another holder
    private long released;
    private long touched;

    public Contention(long now) {
        touched = now;
        released = now - FORGOTTEN;
    }

    public void saw(String owner, long now) {
        locked(() -> {
            if (owners.size() == REMEMBERED) {
                owners.removeFirst();
            }
            owners.addLast(owner);
            touched = now;
        });
    }

    /**
     * Records the end of another owner's lease. {@code seenFor}: the time from the first to the last reply that showed
     * this lease, in nanoseconds.
     */
    public void ended(long seenFor) {
        locked(() -> turn += (seenFor - turn) * 3 / 10);
    }

    public void requestEnded(long nanos) {
        locked(() -> {
            long step = nanos > roundTrip ? roundTrip / 8 : -roundTrip / 8;
            roundTrip = Math.max(SHORTEST_TRIP, Math.min(LONGEST_TRIP, roundTrip + step));
        });
    }

    /**
     * Records that this process acquired the lease. {@code sawOthers}: whether a reply before the grant showed another
     * holder.
     */
    public void granted(boolean sawOthers, long now) {
        locked(() -> {
            alone = sawOthers ? 0 : alone + 1;
            if (alone >= ALONE) {
                forget();
            }
            touched = now;
        });
    }

    private void forget() {
        owners.clear();
        turn = 0;
    }

    /**
     * Records that this process released the lease. {@code othersWait}: whether other processes wait for the lease; for
     * a permit, whether other processes have recently requested a permit of the same key.
     */
    public void released(boolean othersWait, long now) {
        locked(() -> {
            released = now;
            touched = now;
            if (othersWait) {
                alone = 0;
                if (owners.isEmpty()) {
                    owners.add("");
                }
            }
        });
    }

    /**
     * Returns whether other processes recently held the lease or waited for it. Discards the recorded owners and hold
     * times if this object has recorded nothing for two seconds.
     */
    public boolean isKnown(long now) {
        return locked(() -> {
            if (now - touched >= FORGOTTEN) {
                forget();
            }
            return !owners.isEmpty();
        });
    }

    /**
     * Returns how long this process, which released the lease, must still let other processes acquire first, in
     * nanoseconds; 0 or less if this process may acquire the lease again.
     */
    public long standBack(long now, RandomGenerator random) {
        return standBack(now, 1, random);
    }

    /** Like {@link #standBack(long, RandomGenerator)}, but for a key with {@code slots} permits. */
    public long standBack(long now, int slots, RandomGenerator random) {
        return locked(() -> isKnown(now) ? delay(0, slots, random) - (now - released) : 0L);
    }

    /**
     * Returns the delay before a waiter's next read, in nanoseconds. {@code waited}: the time since the wait began, in
     * nanoseconds.
     */
    public long delay(long waited, RandomGenerator random) {
        return delay(waited, 1, random);
    }

    /**
     * Like {@link #delay(long, RandomGenerator)}, but for a key with {@code slots} permits: the delays are shorter,
     * because some permit becomes free more often than a single lease.
     */
    public long delay(long waited, int slots, RandomGenerator random) {
        return locked(() -> {
            int processes = 1 + new HashSet<>(owners).size();
            double perSlot = (double) processes / slots;
            double round = perSlot * Math.max(TRIPS_A_TURN * roundTrip, (double) turn);
            double trips = Math.min(TRIPS_A_TURN, Math.max(LEAST_TRIPS_A_TURN, TRIPS_BY_PROCESS * processes));
            double first = perSlot * Math.max(trips * roundTrip, (double) turn);
            double impatience = 1 + waited / (PATIENCE * round);
            double shortest = slots == 1
                    ? Math.max(TRIPS_A_DELAY * roundTrip, turn / LOOKS_A_TURN)
                    : Math.max(TRIPS_A_DELAY_OF_A_SLOT * roundTrip, turn / LOOKS_A_TURN_OF_A_SLOT);
            double delay = Math.max(shortest, Math.min(SECOND, first / (impatience * impatience)));
            return (long) Math.min(SECOND, delay * (0.5 + random.nextDouble()));
        });
    }

    /**
     * Returns whether waiters send an acquire without reading the item first, because processes hold the lease for less
     * than a quarter of a round trip on average.
     */
    public boolean isShort() {
        return locked(() -> 4 * turn < roundTrip);
    }

    /**
     * Returns whether waiters try to acquire a random permit without reading the items first, because processes hold
     * permits for less than four round trips on average. The limit of {@link #isShort} is lower, because an acquire
     * without a read succeeds less often for a single lease than for one of several permits.
     *
     * @param keptFor the time for which replies have shown the same holders of all permits, in nanoseconds
     */
    public boolean isQuick(long keptFor) {
        return locked(() -> Math.max(turn, keptFor) < QUICK_TRIPS * roundTrip);
    }

    /**
     * Returns whether {@code seenFor}, the time for which replies have shown the same lease, is at least three times
     * the average time of earlier leases of the key.
     */
    public boolean isLong(long seenFor) {
        return locked(() -> seenFor >= 3 * turn);
    }

    private void locked(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    private <T> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Prevents the callers of this process from keeping a key from the waiters of other processes. Counts hand-overs:
     * how often a caller of this process has passed the lease directly to another caller of this process while another
     * process waits for the lease. When the number of hand-overs reaches a limit, this process releases the lease, and
     * does not acquire it again until another owner has held it or one second has passed. Not thread-safe.
     */
    public static final class Fairness {

        private static final long STAND_BACK = SECOND;

        private int handOvers; // hand-overs since another process has marked the item
        private boolean standsBack;
        private long standBackUntil;
        private boolean looksFirst;

        public void onHeldByOther() {
            looksFirst = true;
            standsBack = false;
        }

        /**
         * Records a grant to this process. {@code waitedFor}: whether a caller of this process passed the lease on to
         * this caller while another process waits for the lease.
         */
        public void onGranted(boolean waitedFor) {
            looksFirst = false;
            standsBack = false;
            handOvers = waitedFor ? handOvers + 1 : 0;
        }

        public int handOvers() {
            return handOvers;
        }

        /**
         * Records a release. {@code forOthers}: whether the lease was released because callers of this process had
         * passed it to each other too often in a row.
         */
        public void onReleased(boolean forOthers, long now) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? now + STAND_BACK : 0;
        }

        /**
         * Returns whether callers of this process may not acquire the free lease yet, so that another process can
         * acquire it first.
         */
        public boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /**
         * Returns the monotonic time from which callers of this process may acquire the free lease even if no other
         * process has acquired it.
         */
        public long standBackUntil() {
            return standBackUntil;
        }

        public boolean looksFirst() {
            return looksFirst;
        }
    }
}
