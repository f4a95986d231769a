package io.leasekit.internal;

/** A future of an asynchronous acquire, which also shows why the lease has not been granted yet. Thread-safe. */
@Internal
public interface AcquireObstacle {

    /**
     * The state of the lease, as the acquire last saw the lease. {@code held} includes other callers of this process;
     * {@code text} names the owner or the reason of the refusal.
     */
    record Seen(boolean held, boolean paused, String text) {}

    Seen seen();
}
