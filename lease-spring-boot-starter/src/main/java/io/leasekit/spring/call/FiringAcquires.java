package io.leasekit.spring.call;

import io.leasekit.LeaseException;
import io.leasekit.internal.BriefLock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The acquires of firings, which are calls of scheduled methods by their scheduler. When the application closes,
 * waiting acquires end without a lease, and later firings get no lease. A firing that gets no lease because the
 * application closes is skipped without an error, because another node executes its run. A scheduler may still call a
 * method while the application closes, even after the lease managers were closed. This class does not end firings whose
 * method already runs: the scheduler waits for them.
 *
 * <p>To end a blocking acquire, this class interrupts the thread of the acquire, and clears the interrupt after the
 * acquire. An interrupt by other code during the acquire, for example by the stopping scheduler, is cleared as well.
 * Thread-safe.
 */
final class FiringAcquires {

    /** Thrown if a firing gets no lease because the application is closing. */
    static final class ClosingException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ClosingException(@Nullable Throwable cause) {
            super("The application is closing", cause, false, false);
        }
    }

    private final BriefLock lock = new BriefLock();
    private final Set<Thread> acquiring = new HashSet<>(); // guarded by lock
    private final Set<Thread> interrupted = new HashSet<>(); // guarded by lock
    private final Set<Runnable> cancels = new HashSet<>(); // guarded by lock
    private volatile boolean closed; // set to true under lock

    /** Returns whether the application is closing, so that no firing may begin. */
    boolean isClosed() {
        return closed;
    }

    /**
     * Returns a {@link ClosingException} if the closing of the application may have caused this refusal of a firing's
     * acquire, otherwise the refusal itself.
     */
    Throwable refusal(Throwable refusal) {
        boolean ofClose = closed && (refusal instanceof LeaseException || refusal instanceof CancellationException);
        return ofClose ? new ClosingException(refusal) : refusal;
    }

    /**
     * Begins an acquire for a firing, without blocking a thread. If the application closes, the acquire is cancelled.
     *
     * @throws ClosingException if the application is already closing
     */
    <T> CompletableFuture<T> withoutThread(Supplier<CompletableFuture<T>> acquire) {
        if (closed) {
            throw new ClosingException(null);
        }
        CompletableFuture<T> future = acquire.get();
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
        Thread here = Thread.currentThread();
        lock.run(() -> begin(here));
        try {
            return manager.get();
        } finally {
            lock.run(() -> end(here));
        }
    }

    private boolean begin(Thread here) {
        if (closed) {
            throw new ClosingException(null);
        }
        return acquiring.add(here);
    }

    /**
     * Ends the acquire of this thread, so that {@link #close()} no longer interrupts the thread. If {@code close()} has
     * interrupted the thread, clears the interrupt.
     */
    private boolean end(Thread here) {
        acquiring.remove(here);
        return interrupted.remove(here) && Thread.interrupted();
    }

    private void cancelAtClose(CompletableFuture<?> future) {
        Runnable cancel = () -> future.cancel(true);
        boolean late = lock.get(() -> closed || !cancels.add(cancel));
        if (late) {
            cancel.run();
        } else {
            var unused = future.whenComplete((answer, failure) -> lock.run(() -> cancels.remove(cancel)));
        }
    }

    /** Allows firings to acquire leases again after {@link #close()}. */
    void open() {
        closed = false;
    }

    /** Ends all acquires of firings that are waiting for a lease. After {@code close}, no firing begins an acquire. */
    void close() {
        List<Runnable> waiting = lock.get(() -> {
            closed = true;
            interrupted.addAll(acquiring);
            acquiring.forEach(Thread::interrupt);
            return List.copyOf(cancels);
        });
        waiting.forEach(Runnable::run);
    }
}
