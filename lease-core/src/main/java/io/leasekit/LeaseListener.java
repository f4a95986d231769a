package io.leasekit;

/**
 * A receiver of the events of one manager's leases. Implementations must be thread-safe: events of different keys may
 * arrive at the same time.
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called once for each event, on the manager's callback executor. A {@link LeaseEvent.Lost} does not wait for a thread of it:
     * unless one is delivering events of the key, a thread reserved for losses delivers it, and events of the key that wait.
     * Never called on a thread that renews leases.
     *
     * <p>Events of one key arrive one after the other, in the order in which they happened. A slow call delays the
     * events of its key, and those of other keys only if the executor has no free thread. While 1,000 events of a key
     * wait, further events of that key are dropped with a warning. Events after the manager has closed may be dropped.
     *
     * <p>An exception is logged and has no other effect.
     */
    void onEvent(LeaseEvent event);
}
