package io.leasekit.internal;

/** The future of an asynchronous acquire that shows why the lease is not granted yet. Thread-safe. */
@Internal
public interface AcquireObstacle {

    /**
     * The last state that an acquire saw.
     *
     * @param held whether an owner was seen to hold the lease, or this process has it or asks for it
     * @param paused whether the lease is paused
     * @param text the owner that holds it, or the reason why the lease was not granted although no owner holds it
     */
    record Seen(boolean held, boolean paused, String text) {}

    /** Returns the last state that the acquire saw. */
    Seen seen();
}
