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
 * Waits for runs that other nodes have begun, and for runs that could not begin because the table did not answer. If a
 * run is not done after the wait, this node executes it. A wait occupies no thread. Each combination of a method and a
 * key has at most one waiter. The waiter waits for the run of the newest slot of the cron expression. If run names have
 * no order, the waiter waits for the run of the scheduler's latest call. Thread-safe.
 */
final class RunWaiters {

    private final JobSchedulers schedulers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, RunWaiter> waiters = new HashMap<>(); // guarded by lock
    private volatile boolean closed; // set to true under lock

    RunWaiters(JobSchedulers schedulers) {
        this.schedulers = schedulers;
    }

    /**
     * Begins a wait that ends when the run has ended on another node, or when the table answers. Does not block. If the
     * run is not done after the wait, the method's scheduler calls {@link RunWaiter.Run#body()} with the lease, which
     * the body closes.
     */
    void await(LeaseManager manager, RunWaiter.Run run) {
        RunWaiter waiter = new RunWaiter(run, this::remove);
        if (replace(waiter)) {
            waiter.begin(manager, schedulers);
        }
    }

    /**
     * Registers the waiter, in place of an earlier waiter for the same method and key. Registers nothing and returns
     * {@code false} if the earlier waiter {@linkplain RunWaiter#covers covers} this waiter, or after {@link #close()}.
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

    /** Returns whether the application is shutting down. */
    boolean isClosed() {
        return closed;
    }

    void open() {
        closed = false;
    }

    /**
     * Ends all waits. If a waiter has a lease but its run has not started, the lease is released. Runs that have
     * started continue.
     */
    void close() {
        List<RunWaiter> all = locked(() -> {
            closed = true;
            return List.copyOf(waiters.values());
        });
        all.forEach(waiter -> waiter.stop(FiringOutcome.CLOSING));
        schedulers.close();
    }
}
