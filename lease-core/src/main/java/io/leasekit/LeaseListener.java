package io.leasekit;

/**
 * A receiver of the lease events of one manager. Implementations must be thread-safe: events of different keys may
 * arrive at the same time.
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called once for each event, on the manager's callback executor and never on a thread that renews leases. A
     * {@link LeaseEvent.Lost} does not wait for a free thread of the executor: a thread that the manager reserves for
     * losses delivers it. If a thread of the executor is already delivering events of the key, the same thread delivers
     * the loss after them.
     *
     * <p>Events of one key arrive one after the other, in the order in which they happened. A slow listener delays the
     * next events of the same key. A slow listener delays events of other keys only if the executor that runs the
     * listeners has no free thread. While 1,000 events of a key wait for delivery, the manager drops further events of
     * that key and logs a warning. After the manager has closed, events may be dropped.
     *
     * <p>If this method throws an exception, the manager logs the exception and continues.
     */
    void onEvent(LeaseEvent event);
}
