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
 * Recent moves of one lease, or of the permits of one key, between processes, as this process saw them (6.3). Waiters
 * choose the delays between their looks by it, and a process that has just released the lease leaves it to others for a
 * while. This class only decides when to ask for a lease. Thread-safe.
 *
 * <p>Let <i>n</i> processes take turns, each for a time <i>t</i>. A waiter first waits for <i>nt</i>, the length of a
 * round. Its delays shrink as its wait grows: {@code nt / (1 + waited / 0.8 nt)^2}. Thus the longest waiters look most
 * often, and the number of looks for each move hardly depends on <i>n</i> and <i>t</i>. Here, <i>t</i> counts as 2.5
 * round trips at least. If turns are short and processes are few, all delays are shorter (1.6 round trips in place of
 * 2.5), which costs few requests for each move. If turns are much shorter than a round trip, a read is outdated when it
 * arrives, so a waiter asks for the lease instead. The formula and its constants come from simulations of 1 to 32
 * processes with turns of 5 ms to 5 s and round trips of 3 to 50 ms. With several slots, a round is shorter by their
 * number ({@code PermitTurnsTest}).
 */
@Internal
public final class Contention {

    private static final int REMEMBERED = 32;
    private static final int ALONE = 4;
    private static final long FORGOTTEN = 2 * SECOND;
    private static final long SHORTEST_TRIP = 4 * MILLI;
    private static final long LONGEST_TRIP = SECOND / 4;
    private static final double TRIPS_A_TURN = 2.5; // a turn counts as so many round trips, at least
    private static final double LEAST_TRIPS_A_TURN = 1.6; // in the delays of few processes
    private static final double TRIPS_BY_PROCESS = 0.16; // and so much for each process, where these are more
    private static final double TRIPS_A_DELAY = 1.6;
    private static final double TRIPS_A_DELAY_OF_A_SLOT = 0.8;
    private static final double PATIENCE = 0.8;
    private static final long QUICK_TRIPS = 4;
    private static final double LOOKS_A_TURN = 12;
    private static final double LOOKS_A_TURN_OF_A_SLOT = 4; // a look shows all slots

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<String> owners = new ArrayDeque<>(2); // of the last tenures seen, without those of this process
    private long roundTrip = 10 * MILLI; // about the median duration of requests for the key
    private long turn; // the average time for which a tenure was seen, a lower bound
    private int alone; // leases acquired in a row without seeing another holder
    private long released;
    private long touched;

    public Contention(long now) {
        touched = now;
        released = now - FORGOTTEN;
    }

    /** Notes that another process holds the lease. */
    public void saw(String owner, long now) {
        locked(() -> {
            if (owners.size() == REMEMBERED) {
                owners.removeFirst();
            }
            owners.addLast(owner);
            touched = now;
        });
    }

    /** Notes for how long an ended tenure was seen, a lower bound of its duration. */
    public void ended(long seenFor) {
        locked(() -> turn += (seenFor - turn) * 3 / 10);
    }

    /** Notes the duration of a request for the key. */
    public void requestEnded(long nanos) {
        locked(() -> {
            long step = nanos > roundTrip ? roundTrip / 8 : -roundTrip / 8;
            roundTrip = Math.max(SHORTEST_TRIP, Math.min(LONGEST_TRIP, roundTrip + step));
        });
    }

    /** Notes that this process acquired the lease, and whether it saw another holder before. */
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

    /** Notes that this process released the lease, and whether others wait for it or, for a slot, have recently wanted it. */
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
     * Returns whether other processes held the lease or waited for it recently. If not, this call also forgets their
     * names and the duration of their turns.
     */
    public boolean isKnown(long now) {
        return locked(() -> {
            if (now - touched >= FORGOTTEN) {
                forget();
            }
            return !owners.isEmpty();
        });
    }

    /** Returns how long this process still leaves the lease to others after its release; 0 or less: no longer. */
    public long standBack(long now, RandomGenerator random) {
        return standBack(now, 1, random);
    }

    /** As {@link #standBack(long, RandomGenerator)}, for a key with so many slots. */
    public long standBack(long now, int slots, RandomGenerator random) {
        return locked(() -> isKnown(now) ? delay(0, slots, random) - (now - released) : 0L);
    }

    /** Returns the delay before the next look of a caller that has waited for this long. */
    public long delay(long waited, RandomGenerator random) {
        return delay(waited, 1, random);
    }

    /** As {@link #delay(long, RandomGenerator)}, for a key with so many slots: a round is shorter by their number. */
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
     * Returns whether turns are so short that another process takes a lease that a look found free before a request for
     * it arrives.
     */
    public boolean isShort() {
        return locked(() -> 4 * turn < roundTrip);
    }

    /**
     * Returns whether turns at one of several slots are short: some slot is free so often that asking for any slot
     * takes fewer requests than looking first. Turns may be longer than in {@link #isShort} and still count as short,
     * because many requests succeed.
     *
     * @param keptFor how long looks have shown no move: present turns last at least as long
     */
    public boolean isQuick(long keptFor) {
        return locked(() -> Math.max(turn, keptFor) < QUICK_TRIPS * roundTrip);
    }

    /** Returns whether a tenure that was seen for this long lasts much longer than others did. */
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
     * The fairness of one key between the callers of this process and other processes. Once another process has marked
     * the item, the number of hand-overs in a row is limited. A free lease is then left to others until one of them was
     * seen to hold it, or for a second. Used only in the mailbox of the key's queue.
     */
    public static final class Fairness {

        private static final long STAND_BACK = SECOND;

        private int handOvers; // since another process has marked the item
        private boolean standsBack;
        private long standBackUntil;
        private boolean looksFirst;

        /** Notes that another owner holds the lease. */
        public void onHeldByOther() {
            looksFirst = true;
            standsBack = false;
        }

        /** Notes a grant to this process; {@code waitedFor}: whether it was a hand-over while another process waits. */
        public void onGranted(boolean waitedFor) {
            looksFirst = false;
            standsBack = false;
            handOvers = waitedFor ? handOvers + 1 : 0;
        }

        public int handOvers() {
            return handOvers;
        }

        /** Notes a release; {@code forOthers}: whether the reason is the limit of hand-overs in a row. */
        public void onReleased(boolean forOthers, long now) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? now + STAND_BACK : 0;
        }

        /** Returns whether the next waiter leaves a free lease to others. */
        public boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /** Returns the monotonic time until which the next waiter leaves a free lease to others. */
        public long standBackUntil() {
            return standBackUntil;
        }

        /** Returns whether the next waiter looks before it asks for the lease. */
        public boolean looksFirst() {
            return looksFirst;
        }
    }
}
