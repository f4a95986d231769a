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
 * The acquires of firings, which are calls of scheduled methods by their scheduler. A scheduler may call a method while
 * the application closes, even after the lease managers were closed. After an interrupt by {@link #close()}, the
 * acquire clears the thread's interrupt status, including interrupts by other code. Thread-safe.
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

    boolean isClosed() {
        return closed;
    }

    Throwable refusal(Throwable refusal) {
        boolean ofClose = closed && (refusal instanceof LeaseException || refusal instanceof CancellationException);
        return ofClose ? new ClosingException(refusal) : refusal;
    }

    /** Begins an acquire without blocking a thread, and cancels the acquire if the application closes. */
    <T> CompletableFuture<T> withoutThread(Supplier<CompletableFuture<T>> acquire) {
        if (closed) {
            throw new ClosingException(null);
        }
        CompletableFuture<T> future = acquire.get();
        cancelAtClose(future);
        return future;
    }

    /** Calls the manager on this thread, and interrupts the thread if the application closes during the call. */
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

    /** Runs under the lock, so that {@link #close()} cannot interrupt this thread afterwards. */
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

    void open() {
        closed = false;
    }

    /** Ends the waiting acquires of firings; until {@link #open()}, no firing begins an acquire. */
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
