package io.leasekit.storm;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The proxy's side of one process: which faults it has seen, and whether the next reply may have a wrong {@code Date}.
 *
 * <p>Such a date is beyond what the protocol assumes. The simulation shows what it survives nevertheless: a server with a
 * wrong clock that answers a process neither first nor twice in a row. So a wrong date comes only after many right ones, and
 * never in a process whose wall clock jumps, since a jump makes it forget them. Thread-safe.
 */
final class Link {

    private static final int RIGHT_DATES_BEFORE = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Fate, Integer> fates = new EnumMap<>(Fate.class); // guarded by lock
    private final boolean clockJumps;
    private int rightDates; // since the start of the process, or the last wrong one; guarded by lock

    Link(boolean clockJumps) {
        this.clockJumps = clockJumps;
    }

    /** Notes that another process begins to use this link. */
    void restart() {
        lock.lock();
        try {
            rightDates = 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the fate that this drawn one becomes, and counts it.
     *
     * @param ofLeases whether the request is Leasekit's, which looks at the {@code Date}, and not the referee's
     */
    Fate admit(Fate drawn, boolean ofLeases) {
        lock.lock();
        try {
            Fate fate = drawn == Fate.WRONG_DATE && !(ofLeases && mayBeWrong()) ? Fate.PASSED : drawn;
            if (fate == Fate.WRONG_DATE) {
                rightDates = 0;
            }
            fates.merge(fate, 1, Integer::sum);
            return fate;
        } finally {
            lock.unlock();
        }
    }

    private boolean mayBeWrong() {
        return !clockJumps && rightDates >= RIGHT_DATES_BEFORE;
    }

    /** Notes that a reply with a right date was sent to Leasekit. */
    void answeredWithRightDate() {
        lock.lock();
        try {
            rightDates++;
        } finally {
            lock.unlock();
        }
    }

    Map<Fate, Integer> fates() {
        lock.lock();
        try {
            return new EnumMap<>(fates);
        } finally {
            lock.unlock();
        }
    }
}
