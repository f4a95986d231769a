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
 * The acquires of firings of scheduled methods. Once the context closes, waits are ended, no firing asks for a lease or begins
 * under one, and a firing without its lease is skipped instead of reported as an error: another node runs it. A scheduler may
 * fire once more while the context closes, also after the managers were closed, and it waits for firings that have begun. A
 * blocking acquire of a firing is ended by an interrupt, which is cleared afterwards. If somebody else interrupts the thread
 * meanwhile, for example the scheduler that stops, this interrupt is cleared, too. Thread-safe.
 */
final class FiringAcquires {

    /** The context closes, so the firing gets no lease. */
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

    /** Returns how firings ask that block their thread. */
    LeaseCalls.Asking onThread() {
        return new OfFirings(this::acquireHere);
    }

    /** Returns how firings ask that receive their lease in a future. */
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
     * Asks the manager for a firing on this thread. A close that comes meanwhile interrupts the thread.
     *
     * @throws ClosingException if the context closes already
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

    /** Lets firings ask again, also after {@link #close()}. */
    void open() {
        lock.lock();
        try {
            closed = false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the acquires that wait. From now on, none begins. */
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
