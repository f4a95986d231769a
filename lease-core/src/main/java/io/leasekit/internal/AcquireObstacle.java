package io.leasekit.internal;

/** The future of an asynchronous acquire that shows why the lease has not been granted yet. Thread-safe. */
@Internal
public interface AcquireObstacle {

    /**
     * The state of the lease, as the acquire last saw it.
     *
     * @param held whether the acquire saw that another owner holds the lease, or that another caller of this process
     *     holds or requests the lease
     * @param paused whether a pause of the key prevents the acquire
     * @param text the owner that holds the lease; if no owner holds the lease, the reason why the lease was not granted
     */
    record Seen(boolean held, boolean paused, String text) {}

    Seen seen();
}
