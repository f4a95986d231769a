package io.leasekit.internal;

/** The future of an asynchronous acquire that shows why the lease has not been granted yet. Thread-safe. */
@Internal
public interface AcquireObstacle {

    /**
     * The state of the lease, as the acquire last saw it.
     *
     * @param held whether another owner holds the lease, or another caller of this process holds or requests it
     * @param paused whether a pause of the key prevents the acquire
     * @param text the owner that holds the lease, or the reason why a free lease was not granted
     */
    record Seen(boolean held, boolean paused, String text) {}

    Seen seen();
}
