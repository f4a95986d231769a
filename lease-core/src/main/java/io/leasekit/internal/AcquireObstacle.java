package io.leasekit.internal;

/** The future of an asynchronous acquire that shows why the lease has not been granted yet. Thread-safe. */
@Internal
public interface AcquireObstacle {

    /**
     * The state of the lease as an acquire last saw it.
     *
     * @param held whether another owner was seen to hold the lease, or this process holds or requests it
     * @param paused whether the lease is paused
     * @param text the owner that holds the lease; if no owner holds it, the reason why it was not granted
     */
    record Seen(boolean held, boolean paused, String text) {}

    /** Returns the latest state that the acquire saw. */
    Seen seen();
}
