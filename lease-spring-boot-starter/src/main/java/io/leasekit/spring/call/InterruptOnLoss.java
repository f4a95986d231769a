package io.leasekit.spring.call;

import io.leasekit.spring.context.SharedLease;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread that created this object if the lease is lost before {@link #end()}. {@code end()} also clears
 * an interrupt by other code after the loss, because a thread has one interrupt flag. Thread-safe.
 */
final class InterruptOnLoss {

    private final Thread thread = Thread.currentThread();
    private final ReentrantLock guard = new ReentrantLock();
    private boolean ended; // guarded by the lock 'guard'
    private boolean sent; // guarded by the lock 'guard'
    private final Runnable removal;

    InterruptOnLoss(SharedLease lease) {
        removal = lease.onLoss(this::send);
    }

    private void send() {
        guard.lock();
        try {
            if (!ended && !thread.isInterrupted()) {
                sent = true;
                thread.interrupt();
            }
        } finally {
            guard.unlock();
        }
    }

    void end() {
        removal.run();
        guard.lock();
        try {
            ended = true;
            if (sent) {
                // the lock ensures that send() cannot interrupt the thread later
                Thread.interrupted();
            }
        } finally {
            guard.unlock();
        }
    }
}
