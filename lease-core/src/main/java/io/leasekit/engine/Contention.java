package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.MILLI;
import static io.leasekit.engine.LeaseRules.SECOND;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * How a lease has gone from process to process of late, as this one saw it; by that its waiters pace their looks, and who has
 * just released it leaves it to others for a while (6). Decides nothing but when to ask. Thread-safe.
 *
 * <p>With <i>n</i> processes in a round, each of whose turns takes <i>t</i>, a waiter pauses for <i>nt</i> at first, as long as a
 * round takes, and ever less the longer it has waited: {@code nt / (1 + waited / 0.8 nt)^2}. So those who waited longest look
 * most often, and the number of looks for one change of hands hardly depends on <i>n</i> and <i>t</i>. Where turns are much shorter
 * than a round trip, a read tells what was: a waiter asks for the lease instead. The form and its numbers were found by simulating
 * 1 to 32 processes with turns of 5 ms to 5 s and round trips of 3 to 50 ms.
 */
final class Contention {

    private static final int REMEMBERED = 32;
    private static final int ALONE = 4;
    private static final long FORGOTTEN = 2 * SECOND;
    private static final long SHORTEST_TRIP = 4 * MILLI;
    private static final long LONGEST_TRIP = SECOND / 4;
    private static final double TRIPS_A_TURN = 2.5;
    private static final double TRIPS_A_PAUSE = 1.6;
    private static final double PATIENCE = 0.8;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<String> owners = new ArrayDeque<>(2); // of the tenures seen last, not this process's own
    private long roundTrip = 10 * MILLI; // about the median of what looks took
    private long turn; // for how long a tenure was seen at least, on average
    private int alone; // how many leases in a row were got without any other's being seen
    private long released;
    private long touched;

    Contention(long now) {
        touched = now;
        released = now - FORGOTTEN;
    }

    /** Notes that another process has it. */
    void saw(String owner, long now) {
        locked(() -> {
            if (owners.size() == REMEMBERED) {
                owners.removeFirst();
            }
            owners.addLast(owner);
            touched = now;
        });
    }

    /** Notes for how long a tenure that has ended was seen at least. */
    void ended(long seenFor) {
        locked(() -> turn += (seenFor - turn) * 3 / 10);
    }

    /** Notes how long a look took. */
    void looked(long nanos) {
        locked(() -> {
            long step = nanos > roundTrip ? roundTrip / 8 : -roundTrip / 8;
            roundTrip = Math.max(SHORTEST_TRIP, Math.min(LONGEST_TRIP, roundTrip + step));
        });
    }

    /** Notes that this process got the lease, and whether it saw another have it before. */
    void granted(boolean sawOthers, long now) {
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

    /** Notes that this process released it, and whether somebody had marked it as waited for. */
    void released(boolean waitedFor, long now) {
        locked(() -> {
            released = now;
            touched = now;
            if (waitedFor) {
                alone = 0;
                if (owners.isEmpty()) {
                    owners.add("");
                }
            }
        });
    }

    /** Returns whether others had it or waited for it, not long ago. */
    boolean isKnown(long now) {
        return locked(() -> {
            if (now - touched >= FORGOTTEN) {
                forget();
            }
            return !owners.isEmpty();
        });
    }

    /** Returns for how long this process still leaves the lease to others after it released it; 0 or less: it does not. */
    long standBack(long now, RandomGenerator random) {
        return locked(() -> isKnown(now) ? pause(0, random) - (now - released) : 0L);
    }

    /** Returns how long to pause before the next look, for somebody who has waited for so long. */
    long pause(long waited, RandomGenerator random) {
        return locked(() -> {
            double round = (1 + new HashSet<>(owners).size()) * Math.max(TRIPS_A_TURN * roundTrip, (double) turn);
            double impatience = 1 + waited / (PATIENCE * round);
            double shortest = Math.max(TRIPS_A_PAUSE * roundTrip, turn / 12.0);
            double pause = Math.max(shortest, Math.min(SECOND, round / (impatience * impatience)));
            return (long) Math.min(SECOND, pause * (0.5 + random.nextDouble()));
        });
    }

    /** Returns whether turns are so short that whoever finds it free will be too late. */
    boolean isShort() {
        return locked(() -> 4 * turn < roundTrip);
    }

    /** Returns whether a tenure that was seen for so long takes much longer than others did. */
    boolean isLong(long seenFor) {
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
     * Whether the callers of one key in this process leave the lease to other processes. Once another process has marked the item
     * as waited for, a run of hand-overs is bounded; after it a free lease is left to others until one of them was seen to hold it,
     * or a second is over. Lives in the mailbox of the key's queue.
     */
    static final class Fairness {

        private static final long STAND_BACK = SECOND;

        private int handOvers; // since another process has marked the item
        private boolean standsBack;
        private long standBackUntil;
        private boolean looksFirst;

        /** Another process holds the lease. */
        void onHeldByOther() {
            looksFirst = true;
            standsBack = false;
        }

        /** This process got the lease; {@code waitedFor}: by a hand-over, while another process waits. */
        void onGranted(boolean waitedFor) {
            looksFirst = false;
            standsBack = false;
            handOvers = waitedFor ? handOvers + 1 : 0;
        }

        int handOvers() {
            return handOvers;
        }

        /** The lease is released; {@code forOthers}: because the run of hand-overs has to end. */
        void onReleased(boolean forOthers, long now) {
            handOvers = 0;
            standsBack = forOthers;
            standBackUntil = forOthers ? now + STAND_BACK : 0;
        }

        /** Returns whether the next waiter leaves a free lease to others. */
        boolean standsBack(long now) {
            return standsBack && now - standBackUntil < 0;
        }

        /** Returns the monotonic time until which it does. */
        long standBackUntil() {
            return standBackUntil;
        }

        /** Returns whether the next waiter looks before it asks for the lease. */
        boolean looksFirst() {
            return looksFirst;
        }
    }
}
