package io.leasekit.spring.call;

import io.leasekit.LeaseManager;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.spring.schedule.JobSchedulers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Waits for runs that other nodes have begun, and for runs that could not begin without an answer of the table. Each
 * method and key has at most one waiter, which waits for the run of the newest slot. Thread-safe.
 */
final class RunWaiters {

    private final JobSchedulers schedulers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, RunWaiter> waiters = new HashMap<>(); // guarded by lock
    private volatile boolean closed; // set to true under lock

    RunWaiters(JobSchedulers schedulers) {
        this.schedulers = schedulers;
    }

    /** If the run is not done after the wait, the method's scheduler calls {@link RunWaiter.Run#body()}. */
    void await(LeaseManager manager, RunWaiter.Run run) {
        RunWaiter waiter = new RunWaiter(run, this::remove);
        if (replace(waiter)) {
            waiter.begin(manager, schedulers);
        }
    }

    /**
     * Registers nothing, and returns {@code false}, if an earlier waiter covers this waiter, or after {@link #close()}.
     */
    private boolean replace(RunWaiter waiter) {
        RunWaiter older;
        lock.lock();
        try {
            older = waiters.get(waiter.id());
            if (closed || (older != null && older.covers(waiter))) {
                waiter.isLeftOutFor(older);
                return false;
            }
            waiters.put(waiter.id(), waiter);
        } finally {
            lock.unlock();
        }
        if (older != null) {
            older.giveWayTo(waiter);
        }
        return true;
    }

    private void remove(RunWaiter waiter) {
        locked(() -> waiters.remove(waiter.id(), waiter));
    }

    private <T> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    void open() {
        closed = false;
    }

    /** Ends all waits; runs that have started continue. */
    void close() {
        List<RunWaiter> all = locked(() -> {
            closed = true;
            return List.copyOf(waiters.values());
        });
        all.forEach(waiter -> waiter.stop(FiringOutcome.CLOSING));
        schedulers.close();
    }
}
