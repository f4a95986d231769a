package io.leasekit;

/**
 * A receiver of measurements of a manager's work, for meters and traces. For an application's reaction to its leases,
 * use {@link LeaseListener}.
 *
 * <p>Measurements arrive synchronously, on the threads that renew leases and pass on replies, and on those of callers. A monitor must return
 * immediately: one that blocks delays renewals. Its first exception is logged, later ones are not. No exception affects
 * a lease. Implementations must be thread-safe.
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
