package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Waits, without a thread, for runs that other nodes have begun, and runs here what they do not end: one for each method, the
 * newest run's. Thread-safe.
 */
final class RunWaiters {

    private final JobSchedulers schedulers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, RunWaiter> waiters = new HashMap<>(); // guarded by lock
    private volatile boolean closed; // written under lock

    RunWaiters(JobSchedulers schedulers) {
        this.schedulers = schedulers;
    }

    /**
     * Waits for the end of this request's run elsewhere. If it is not done then, the body is called under the lease, on the
     * scheduler of the method's firings; it is the body's to close.
     */
    void await(LeaseOnce once, LeaseManager manager, LeaseRequest request, Consumer<Lease> body) {
        RunWaiter waiter = new RunWaiter(once, request, body, this::remove);
        if (replace(waiter)) {
            waiter.begin(manager, schedulers);
        }
    }

    /** Takes the place of an older run's waiter; returns whether it did. */
    private boolean replace(RunWaiter waiter) {
        RunWaiter older;
        lock.lock();
        try {
            older = waiters.get(waiter.id());
            if (closed || (older != null && older.run().equals(waiter.run()))) {
                return false;
            }
            waiters.put(waiter.id(), waiter);
        } finally {
            lock.unlock();
        }
        if (older != null) {
            older.stop();
        }
        return true;
    }

    private void remove(RunWaiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter.id(), waiter);
        } finally {
            lock.unlock();
        }
    }

    private List<RunWaiter> all() {
        lock.lock();
        try {
            return List.copyOf(waiters.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the application ends. */
    boolean isClosed() {
        return closed;
    }

    /** Ends all waiting; what waits for a thread gives its lease back. Bodies that have begun go on. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        all().forEach(RunWaiter::stop);
        schedulers.close();
    }
}
