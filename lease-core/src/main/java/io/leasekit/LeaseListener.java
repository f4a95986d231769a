package io.leasekit;

/**
 * Told of what happens to the leases of one manager. Must be thread-safe: events of different keys may come at the same time.
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called once for each event, on the manager's callback executor and never on a thread that renews leases. Events of one
     * key come one after the other, in the order in which they happened; a call that takes long delays those of its key, and
     * of others only where the executor has no thread left. When 1,000 events of a key wait, further ones of it are dropped,
     * with a warning. An error that it throws is logged and changes nothing. What happens after the manager's end is not told.
     */
    void onEvent(LeaseEvent event);
}
