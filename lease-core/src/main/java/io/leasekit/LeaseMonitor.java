package io.leasekit;

/**
 * A receiver of a manager's measurements, for meters and traces. To react to events of leases, use
 * {@link LeaseListener}.
 *
 * <p>Measurements arrive synchronously, on threads of callers, and on the threads that renew leases and handle replies.
 * A monitor must return immediately: if it blocks, it delays renewals. Only the first exception of a monitor is logged.
 * No exception affects a lease. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface LeaseMonitor {

    /**
     * Called once for each manager that this monitor was added to, before any measurement of that manager. The manager
     * is ready for use; gauges read {@link LeaseManager#status()}.
     */
    default void started(LeaseManager manager) {}

    /** Called for each measurement, in no particular order across leases. */
    void measured(LeaseMeasurement measurement);
}
