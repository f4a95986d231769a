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
 * The recent moves of one lease from process to process, as this process saw them (protocol 6.3). For permits, one
 * object has the moves of all slots of a key. The recorded moves determine the delays between the reads of waiters. The
 * recorded moves also determine for how long a process that has released the lease leaves the lease to other processes.
 * Safety does not depend on this class. Thread-safe.
 *
 * <p>Suppose that <i>n</i> processes take turns, each for a time <i>t</i>. A waiter's first delay is <i>nt</i>, one
 * round. Later delays shrink with the time {@code waited} so far: {@code nt / (1 + waited / (0.8 nt))^2}. Thus the
 * waiters that have waited longest read most often, and the number of reads for each move hardly depends on <i>n</i>
 * and <i>t</i>. In the divisor of the formula, <i>t</i> is at least 2.5 round trips. In the numerator, <i>t</i> is at
 * least 0.16 round trips for each of the <i>n</i> processes, limited to the range from 1.6 to 2.5 round trips: the
 * shorter delays of few processes cost few additional requests. If processes hold the lease for much less than a round
 * trip, a read is outdated when its reply arrives, so waiters acquire without a read. The formula and its constants
 * come from simulations of 1 to 32 processes, with hold times of 5 ms to 5 s and round trips of 3 to 50 ms. For a key
 * with several slots, the length of a round is divided by the number of slots ({@code PermitTurnsTest}).
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
     * Records for how long this process saw a lease of another owner that has ended. The lease itself lasted at least
     * that long.
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
     * Records that this process acquired the lease. {@code sawOthers}: whether the waiter saw another holder before the
     * grant.
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
     * a slot, whether other processes have recently wanted a slot of the same key.
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
     * Returns whether other processes recently held the lease or waited for the lease. If the result is {@code false},
     * also discards the recorded owners and hold times.
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
     * Returns for how much longer this process leaves the released lease to other processes, in nanoseconds; 0 or less
     * if this process may acquire the lease again.
     */
    public long standBack(long now, RandomGenerator random) {
        return standBack(now, 1, random);
    }

    /** Returns the result of {@link #standBack(long, RandomGenerator)} for a key with several slots. */
    public long standBack(long now, int slots, RandomGenerator random) {
        return locked(() -> isKnown(now) ? delay(0, slots, random) - (now - released) : 0L);
    }

    /**
     * Returns the delay before a waiter's next read, in nanoseconds. {@code waited}: the time for which the waiter has
     * waited.
     */
    public long delay(long waited, RandomGenerator random) {
        return delay(waited, 1, random);
    }

    /**
     * Returns the result of {@link #delay(long, RandomGenerator)} for a key with several slots. The length of a round
     * is divided by {@code slots}, and the shortest delay is shorter than for a single lease.
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
     * Returns whether processes hold the lease so briefly that reading before an acquire is useless: when the acquire
     * arrives, another process has already acquired the lease that the read found free.
     */
    public boolean isShort() {
        return locked(() -> 4 * turn < roundTrip);
    }

    /**
     * Returns whether processes hold slots so briefly that acquiring a random slot takes fewer requests than reading
     * first. The limit of the hold time is longer than the limit of {@link #isShort}, because with several slots, more
     * acquires without a read succeed.
     *
     * @param keptFor the time for which reads have shown no move of a slot, and thus the shortest time for which the
     *     present holders have had their slots
     */
    public boolean isQuick(long keptFor) {
        return locked(() -> Math.max(turn, keptFor) < QUICK_TRIPS * roundTrip);
    }

    /**
     * Returns whether a lease that was seen held for the time {@code seenFor} lasts much longer than earlier leases of
     * the key on average.
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
     * Fairness for one key between the callers of this process and other processes. This class counts how often callers
     * of this process have passed the lease on to each other (hand-overs) since another process marked the item. When
     * the limit of hand-overs has caused a release, this process leaves the free lease to other processes until another
     * owner holds the lease, but at most for a second. Used only in the mailbox of the key's queue.
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
         * Records a grant to this process. {@code waitedFor}: whether the grant was a hand-over within this process
         * while another process waits.
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
         * Records a release. {@code forOthers}: whether the limit of consecutive hand-overs has caused this release.
         */
        public void onReleased(boolean forOthers, long now) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? now + STAND_BACK : 0;
        }

        /** Returns whether the next waiter leaves a free lease to other processes. */
        public boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /** Returns the monotonic time until which the next waiter leaves a free lease to other processes. */
        public long standBackUntil() {
            return standBackUntil;
        }

        public boolean looksFirst() {
            return looksFirst;
        }
    }
}
