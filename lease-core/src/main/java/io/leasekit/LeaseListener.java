package io.leasekit;

/**
 * A receiver of the lease events of one manager. Implementations must be thread-safe: events of different keys may
 * arrive at the same time.
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called once for each event, on the manager's callback executor and never on a thread that renews leases. A
     * {@link LeaseEvent.Lost} does not wait for a free thread of the executor: a thread reserved for losses delivers
     * it, after the earlier events of the same key. If the executor is just delivering events of the key, it delivers
     * the loss, too.
     *
     * <p>Events of one key arrive one after the other, in the order in which they happened. A slow call delays the
     * events of its key. A slow call delays events of other keys only if the executor has no free thread. While 1,000
     * events of a key wait, further events of that key are dropped with a warning. After the manager has closed, events
     * may be dropped.
     *
     * <p>An exception is logged and has no other effect.
     */
    void onEvent(LeaseEvent event);
}
