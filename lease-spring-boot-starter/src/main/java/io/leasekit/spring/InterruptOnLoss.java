package io.leasekit.spring;

import io.leasekit.Lease;

/**
 * Interrupts the calling thread once, if the lease is lost before {@link #end()}. The interrupt does not outlive the call; one
 * that was there before is kept. Thread-safe.
 */
final class InterruptOnLoss {

    private final Thread thread = Thread.currentThread();
    private boolean ended; // guarded by this
    private boolean sent; // guarded by this

    private InterruptOnLoss() {}

    static InterruptOnLoss begin(Lease lease) {
        InterruptOnLoss guard = new InterruptOnLoss();
        var unused = lease.lost().thenAccept(reason -> guard.send());
        return guard;
    }

    private synchronized void send() {
        if (!ended && !thread.isInterrupted()) {
            sent = true;
            thread.interrupt();
        }
    }

    synchronized void end() {
        ended = true;
        if (sent) {
            // the lock orders this after the interrupt: nothing of ours arrives later
            Thread.interrupted();
        }
    }
}
