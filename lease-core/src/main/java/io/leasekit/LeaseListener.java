package io.leasekit;

/** Told of what happens to the leases of one manager. */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called once for each event, one after the other in the order in which they happened, on the manager's callback
     * executor and never on a thread that renews leases. An error that it throws is logged and changes nothing.
     */
    void onEvent(LeaseEvent event);
}
