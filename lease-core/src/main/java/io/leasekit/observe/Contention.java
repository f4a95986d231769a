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
 * Statistics that this process collects about one lease key (protocol 6.3). For a key with permits, one {@code
 * Contention} object covers all permits. Wrong statistics can cause delays or additional requests, but do not affect
 * safety. Thread-safe.
 *
 * <p>If <i>n</i> processes each hold the lease for a time <i>t</i>, a waiter's first delay is <i>nt</i>. A later delay
 * is about {@code nt / (1 + waited / (0.8 nt))^2}, where {@code waited} is the time since the wait began. If hold times
 * are much shorter than a round trip, replies are outdated, so a waiter acquires without reading. The formula comes
 * from simulations: 1 to 32 processes, hold times of 5 ms to 5 s, round trips of 3 to 50 ms. For a key with several
 * permits, {@code nt} is divided by the number of permits ({@code PermitTurnsTest}).
 */
@Internal
public final class Contention {

    private static final int REMEMBERED = 32;
    private static final int ALONE = 4;
    private static final long FORGOTTEN = 2 * SECOND;
    private static final long SHORTEST_TRIP = 4 * MILLI;
    private static final long LONGEST_TRIP = SECOND / 4;
    // In the formula for delays, a hold counts as at least this many round trips.
    private static final double TRIPS_A_TURN = 2.5;
    // With few processes, the first delay counts a hold as at least this many round trips.
    private static final double LEAST_TRIPS_A_TURN = 1.6;
    private static final double TRIPS_BY_PROCESS = 0.16;
    private static final double TRIPS_A_DELAY = 1.6;
    private static final double TRIPS_A_DELAY_OF_A_SLOT = 0.8;
    private static final double PATIENCE = 0.8;
    private static final long QUICK_TRIPS = 4;
    private static final double LOOKS_A_TURN = 12;
    // Waiters for a permit read less often, because one read shows all permits.
    private static final double LOOKS_A_TURN_OF_A_SLOT = 4;

    private final BriefLock lock = new BriefLock(); // guards the fields below
    private final Deque<String> owners = new ArrayDeque<>(2); // the last owners seen, except this process
    private long roundTrip = 10 * MILLI; // nanoseconds; about the median duration of requests for the key
    private long turn; // nanoseconds; average time from the first to the last reply that showed one lease
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

    /** {@code seenFor}: the time from the first to the last reply that showed the ended lease, in nanoseconds. */
    public void ended(long seenFor) {
        lock.run(() -> turn += (seenFor - turn) * 3 / 10);
    }

    public void requestEnded(long nanos) {
        lock.run(() -> {
            long step = nanos > roundTrip ? roundTrip / 8 : -roundTrip / 8;
            roundTrip = Math.max(SHORTEST_TRIP, Math.min(LONGEST_TRIP, roundTrip + step));
        });
    }

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
     * {@code othersWait}: whether other processes wait for the lease, or have recently requested a permit of the same
     * key.
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

    /** Returns whether other processes recently held the lease or waited for it. */
    public boolean isKnown(long now) {
        return lock.get(() -> {
            if (now - touched >= FORGOTTEN) {
                forget();
            }
            return !owners.isEmpty();
        });
    }

    /**
     * Returns the nanoseconds until this process may acquire the lease again; 0 or less if the process may acquire the
     * lease now.
     */
    public long standBack(long now, RandomGenerator random) {
        return standBack(now, 1, random);
    }

    public long standBack(long now, int slots, RandomGenerator random) {
        return lock.get(() -> isKnown(now) ? delay(0, slots, random) - (now - released) : 0L);
    }

    /** Returns the nanoseconds before the next read of a waiter that has waited for {@code waited} nanoseconds. */
    public long delay(long waited, RandomGenerator random) {
        return delay(waited, 1, random);
    }

    /**
     * With several permits, the delays are shorter, because one of the permits becomes free sooner than a single lease.
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

    /** Returns whether hold times are so short that the reply to a read would be outdated. */
    public boolean isShort() {
        return lock.get(() -> 4 * turn < roundTrip);
    }

    /**
     * The limit is higher than in {@link #isShort}, because an acquire without a read succeeds more often with several
     * permits.
     *
     * @param keptFor for how long replies have shown the same holder for each permit, in nanoseconds
     */
    public boolean isQuick(long keptFor) {
        return lock.get(() -> Math.max(turn, keptFor) < QUICK_TRIPS * roundTrip);
    }

    /** {@code seenFor}: the time for which replies have shown the current lease, in nanoseconds. */
    public boolean isLong(long seenFor) {
        return lock.get(() -> seenFor >= 3 * turn);
    }

    /**
     * Counts how often the callers of one process pass a lease to each other while other processes wait. After too many
     * hand-overs, this process waits until another owner has held the lease or some time has passed. Not thread-safe.
     */
    public static final class Fairness {

        private int handOvers; // consecutive hand-overs while another process waits
        private boolean standsBack;
        private long standBackUntil;
        private boolean looksFirst;

        public void onHeldByOther() {
            looksFirst = true;
            standsBack = false;
        }

        /** {@code waitedFor}: whether this grant is a hand-over although another process waits. */
        public void onGranted(boolean waitedFor) {
            looksFirst = false;
            standsBack = false;
            handOvers = waitedFor ? handOvers + 1 : 0;
        }

        public int handOvers() {
            return handOvers;
        }

        /**
         * {@code forOthers}: whether the number of hand-overs had reached the limit. If so, other processes come first
         * until the monotonic time {@code until}.
         */
        public void onReleased(boolean forOthers, long until) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? until : 0;
        }

        public boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /** Returns the monotonic time from which this process may acquire the free lease again. */
        public long standBackUntil() {
            return standBackUntil;
        }

        public boolean looksFirst() {
            return looksFirst;
        }
    }
}
