package io.leasekit.spring.call;

import io.leasekit.LeaseException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The acquires of firings of scheduled methods that block. When the context closes, those that wait are ended, later ones must not
 * wait for a lease, and none that fails is an error. A scheduler may fire once more while the context closes, also after
 * the managers were closed, and it waits for firings that have begun. The interrupt that ends an acquire is cleared when
 * the acquire has ended, and with it one that came later, for example from the stop of the scheduler. Thread-safe.
 */
final class FiringAcquires {

    /** The context closes, so the firing gets no lease. */
    static final class ClosingException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private ClosingException(LeaseException cause) {
            super("The application is closing", cause, false, false);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Thread> acquiring = new HashSet<>(); // guarded by lock
    private final Set<Thread> interrupted = new HashSet<>(); // guarded by lock
    private volatile boolean closed; // written under lock

    /**
     * Calls the manager for a firing on this thread.
     *
     * @param manager the call, which is given whether the context closes, so it must not wait
     * @throws ClosingException if the manager gave no lease because the context closes
     */
    <T> T call(Function<Boolean, T> manager) {
        boolean closing = begin();
        T answer;
        try {
            answer = manager.apply(closing);
        } catch (LeaseException e) {
            end();
            throw closed ? new ClosingException(e) : e;
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
        end();
        return answer;
    }

    /** Returns whether the context closes. If not, a later close interrupts this thread. */
    private boolean begin() {
        lock.lock();
        try {
            if (!closed) {
                acquiring.add(Thread.currentThread());
            }
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** From here on, the thread is not interrupted, and it has no interrupt from here. */
    private void end() {
        lock.lock();
        try {
            acquiring.remove(Thread.currentThread());
            if (interrupted.remove(Thread.currentThread())) {
                var unused = Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets acquires wait again, also after {@link #close()}. */
    void open() {
        lock.lock();
        try {
            closed = false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the acquires that wait. */
    void close() {
        lock.lock();
        try {
            closed = true;
            interrupted.addAll(acquiring);
            acquiring.forEach(Thread::interrupt);
        } finally {
            lock.unlock();
        }
    }
}
