package io.leasekit.observe;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.random.RandomGenerator;

/**
 * Statistics that this process collects about one lease key (protocol 6.3): the last owners, the average hold time, and
 * the typical duration of a request. For a key with permits, one {@code Contention} object covers all permits. The
 * statistics determine how long a waiter waits between two reads of the item. After a release, the statistics determine
 * how long the releasing process waits before it acquires the lease again. Wrong statistics can cause delays or
 * additional requests, but do not affect safety. Thread-safe.
 *
 * <p>With <i>n</i> processes that each hold the lease for a time <i>t</i>, a waiter's first delay is <i>nt</i>, the
 * time in which each process holds the lease once. A later delay is {@code nt / (1 + waited / (0.8 nt))^2}, where
 * {@code nt} is the first delay and {@code waited} is the time since the wait began. Waiters that have waited longest
 * read most often. The number of reads per grant hardly depends on the number of processes and their hold time. If the
 * hold time is much shorter than a request's round trip, replies to reads are outdated, so a waiter acquires without
 * reading. The delay formula comes from simulations of 1 to 32 processes, with hold times of 5 ms to 5 s and round
 * trips of 3 to 50 ms. For a key with several permits, the first delay {@code nt} is divided by the number of permits
 * ({@code PermitTurnsTest}).
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

    private final BriefLock lock = new BriefLock(); // guards the rest
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
        lock.run(() -> {
            if (owners.size() == REMEMBERED) {
                owners.removeFirst();
            }
            owners.addLast(owner);
            touched = now;
        });
    }

    /**
     * Records the end of another owner's lease. {@code seenFor}: the time from the first to the last reply that showed
     * the ended lease, in nanoseconds.
     */
    public void ended(long seenFor) {
        lock.run(() -> turn += (seenFor - turn) * 3 / 10);
    }

    public void requestEnded(long nanos) {
        lock.run(() -> {
            long step = nanos > roundTrip ? roundTrip / 8 : -roundTrip / 8;
            roundTrip = Math.max(SHORTEST_TRIP, Math.min(LONGEST_TRIP, roundTrip + step));
        });
    }

    /**
     * Records that this process acquired the lease. {@code sawOthers}: whether a reply before the grant showed another
     * holder.
     */
    public void granted(boolean sawOthers, long now) {
        lock.run(() -> {
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
     * Records that this process released the lease. {@code othersWait}: whether other processes wait for the lease, or
     * have recently requested a permit of the same key.
     */
    public void released(boolean othersWait, long now) {
        lock.run(() -> {
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
        return lock.get(() -> {
            if (now - touched >= FORGOTTEN) {
                forget();
            }
            return !owners.isEmpty();
        });
    }

    /**
     * Returns the nanoseconds until this process may acquire the lease again after its release; 0 or less if it may
     * acquire the lease now.
     */
    public long standBack(long now, RandomGenerator random) {
        return standBack(now, 1, random);
    }

    /** Like {@link #standBack(long, RandomGenerator)}, but for a key with {@code slots} permits. */
    public long standBack(long now, int slots, RandomGenerator random) {
        return lock.get(() -> isKnown(now) ? delay(0, slots, random) - (now - released) : 0L);
    }

    /**
     * Returns the delay before a waiter's next read, in nanoseconds. {@code waited}: the time since the wait began, in
     * nanoseconds.
     */
    public long delay(long waited, RandomGenerator random) {
        return delay(waited, 1, random);
    }

    /**
     * Like {@link #delay(long, RandomGenerator)}, but for a key with {@code slots} permits. With several permits, the
     * delays are shorter, because one of the permits becomes free sooner than a single lease.
     */
    public long delay(long waited, int slots, RandomGenerator random) {
        return lock.get(() -> {
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
     * Returns whether processes hold the lease for less than a quarter of a round trip on average. If the result is
     * {@code true}, waiters send an acquire without reading the item first.
     */
    public boolean isShort() {
        return lock.get(() -> 4 * turn < roundTrip);
    }

    /**
     * Returns whether processes hold permits for less than four round trips on average. If the result is {@code true},
     * waiters try to acquire a random permit without reading the items first. The limit is higher than in
     * {@link #isShort}, because an acquire without a read succeeds more often with several permits than with one lease.
     *
     * @param keptFor for how long replies have shown the same holder for each permit, in nanoseconds
     */
    public boolean isQuick(long keptFor) {
        return lock.get(() -> Math.max(turn, keptFor) < QUICK_TRIPS * roundTrip);
    }

    /**
     * Returns whether the current lease has lasted at least three times as long as earlier leases of the key did on
     * average. {@code seenFor}: the time for which replies have shown the current lease, in nanoseconds.
     */
    public boolean isLong(long seenFor) {
        return lock.get(() -> seenFor >= 3 * turn);
    }

    /**
     * Limits how often the callers of one process pass a lease to each other while other processes wait for the lease.
     * After too many hand-overs between its callers, this process releases the lease. This process then waits until
     * another owner has held the lease or one second has passed. Not thread-safe.
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
         * Records that a caller of this process got the lease. {@code waitedFor}: whether the caller got the lease from
         * another caller of this process while another process waits for it.
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
         * Records a release. {@code forOthers}: whether this process released the lease because its number of
         * hand-overs had reached the limit.
         */
        public void onReleased(boolean forOthers, long now) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? now + STAND_BACK : 0;
        }

        /** Returns whether this process must leave the free lease to other processes for now. */
        public boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /**
         * Returns the monotonic time from which this process may acquire the free lease again, even if no other process
         * has acquired it.
         */
        public long standBackUntil() {
            return standBackUntil;
        }

        public boolean looksFirst() {
            return looksFirst;
        }
    }
}
