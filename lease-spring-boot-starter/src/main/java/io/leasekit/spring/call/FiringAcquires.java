package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The acquires of firings of scheduled methods. When the application closes, waiting acquires end, and no firing
 * acquires a lease or begins to run under a lease. A firing that gets no lease because the application closes is
 * skipped and not reported as an error, because another node executes its run. Firings can still arrive while the
 * application closes: a scheduler may fire once more, even after the managers were closed. This class does not end
 * firings that have begun: the scheduler waits for them.
 *
 * <p>To end a blocking acquire, this class interrupts its thread, and clears the interrupt after the acquire. If other
 * code, for example the stopping scheduler, also interrupts the thread before that, this other interrupt is cleared,
 * too. Thread-safe.
 */
final class FiringAcquires {

    /** Thrown if a firing gets no lease because the application is closing. */
    static final class ClosingException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ClosingException(@Nullable Throwable cause) {
            super("The application is closing", cause, false, false);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Thread> acquiring = new HashSet<>(); // guarded by lock
    private final Set<Thread> interrupted = new HashSet<>(); // guarded by lock
    private final Set<Runnable> cancels = new HashSet<>(); // guarded by lock
    private volatile boolean closed; // written under lock

    /** Returns the way in which firings acquire a lease on their own thread. */
    LeaseCalls.Asking onThread() {
        return new OfFirings(this::acquireHere);
    }

    /** Returns the way in which firings acquire a lease without blocking a thread. */
    LeaseCalls.Asking withoutThread() {
        return new OfFirings(this::acquireWithoutThread);
    }

    private final class OfFirings implements LeaseCalls.Asking {

        private final LeaseCalls.Asking acquire;

        OfFirings(LeaseCalls.Asking acquire) {
            this.acquire = acquire;
        }

        @Override
        public CompletableFuture<Optional<Lease>> acquire(LeaseManager manager, LeaseRequest request) {
            return acquire.acquire(manager, request);
        }

        @Override
        public LeaseRequest ofRun(Supplier<LeaseRequest> named) {
            return call(named);
        }

        @Override
        public boolean isClosing() {
            return closed;
        }

        @Override
        public Throwable refusal(Throwable refusal) {
            boolean ofClose = closed && (refusal instanceof LeaseException || refusal instanceof CancellationException);
            return ofClose ? new ClosingException(refusal) : refusal;
        }
    }

    private CompletableFuture<Optional<Lease>> acquireHere(LeaseManager manager, LeaseRequest request) {
        return CompletableFuture.completedFuture(
                Optional.of(call(() -> MockedManager.checked(manager.acquire(request), manager, request))));
    }

    private CompletableFuture<Optional<Lease>> acquireWithoutThread(LeaseManager manager, LeaseRequest request) {
        if (closed) {
            throw new ClosingException(null);
        }
        CompletableFuture<Optional<Lease>> future = LeaseCalls.Asking.WITHOUT_THREAD.acquire(manager, request);
        cancelAtClose(future);
        return future;
    }

    /**
     * Calls the manager on this thread, for a firing. If the application closes during the call, this thread is
     * interrupted.
     *
     * @throws ClosingException if the application is already closing
     */
    <T> T call(Supplier<T> manager) {
        begin();
        try {
            return manager.get();
        } finally {
            end();
        }
    }

    private void begin() {
        lock.lock();
        try {
            if (closed) {
                throw new ClosingException(null);
            }
            acquiring.add(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes {@link #close()} no longer interrupt this thread. If {@code close()} has already interrupted the thread,
     * the interrupt is cleared.
     */
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

    private void cancelAtClose(CompletableFuture<?> future) {
        Runnable cancel = () -> future.cancel(true);
        boolean late;
        lock.lock();
        try {
            late = closed;
            if (!late) {
                cancels.add(cancel);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            cancel.run();
        } else {
            var unused = future.whenComplete((answer, failure) -> forget(cancel));
        }
    }

    private void forget(Runnable cancel) {
        lock.lock();
        try {
            cancels.remove(cancel);
        } finally {
            lock.unlock();
        }
    }

    /** Allows firings to acquire leases, even after {@link #close()}. */
    void open() {
        lock.lock();
        try {
            closed = false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waiting acquires of firings. After this call, no acquire of a firing begins. */
    void close() {
        List<Runnable> waiting;
        lock.lock();
        try {
            closed = true;
            interrupted.addAll(acquiring);
            acquiring.forEach(Thread::interrupt);
            waiting = List.copyOf(cancels);
        } finally {
            lock.unlock();
        }
        waiting.forEach(Runnable::run);
    }
}
