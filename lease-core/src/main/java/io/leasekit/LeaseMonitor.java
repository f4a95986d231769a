package io.leasekit;

/**
 * Told of what a manager does while it does it, for meters and traces; {@link LeaseListener} is for what an application does
 * about its leases.
 *
 * <p>A monitor guards nothing and decides nothing: what it throws is logged, once, and changes nothing. It is called on the
 * threads that renew leases and that hand replies on, so it must return at once: one that waits delays renewals.
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface LeaseMonitor {

    /**
     * Called once for each manager that it was given to, before any measurement of that manager, with a manager that is ready to
     * be used. {@link LeaseManager#status()} is what gauges read.
     */
    default void started(LeaseManager manager) {}

    /** Called for each measurement, in no order across leases. */
    void measured(LeaseMeasurement measurement);
}
