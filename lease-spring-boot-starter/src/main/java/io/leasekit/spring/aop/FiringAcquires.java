package io.leasekit.spring.aop;

import io.leasekit.LeaseException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The acquires of firings of scheduled methods. When the context closes, those that wait are ended, and no further one
 * begins. A scheduler may fire once more while the context closes, and waits for firings that have begun. Thread-safe.
 */
final class FiringAcquires {

    /** The context closes, so the firing gets no lease. */
    static final class ClosingException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private ClosingException(LeaseException cause) {
            super("The application is closing", cause, false, false);
        }

        private ClosingException() {
            super("The application is closing", null, false, false);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Thread> acquiring = new HashSet<>(); // guarded by lock
    private final Set<Thread> interrupted = new HashSet<>(); // guarded by lock
    private volatile boolean closed; // written under lock

    /**
     * Calls the manager for a firing on this thread.
     *
     * @throws ClosingException if the context closes before the manager has answered
     */
    <T> T call(Supplier<T> manager) {
        begin();
        T answer;
        try {
            answer = manager.get();
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

    private void begin() {
        lock.lock();
        try {
            if (closed) {
                throw new ClosingException();
            }
            acquiring.add(Thread.currentThread());
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

    /** Ends the acquires that wait. Later ones do not begin. */
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
