package io.leasekit.spring.call;

import io.leasekit.spring.context.SharedLease;
import java.util.concurrent.locks.ReentrantLock;

/**
 * If the lease is lost before {@link #end()} is called, interrupts the thread that has created this object.
 * {@code end()} clears the interrupt that the lost lease has caused. A thread that other code interrupted before the
 * loss stays interrupted. An interrupt by other code after the loss is cleared, because a thread has one flag for all
 * interrupts. Thread-safe.
 */
final class InterruptOnLoss {

    private final Thread thread = Thread.currentThread();
    private final ReentrantLock guard = new ReentrantLock();
    private boolean ended; // guarded by guard
    private boolean sent; // guarded by guard
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
                // the lock makes sure that our own interrupt cannot arrive later
                Thread.interrupted();
            }
        } finally {
            guard.unlock();
        }
    }
}
