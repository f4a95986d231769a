package io.leasekit;

/**
 * A receiver of a manager's measurements, for meters and traces. To react to events of leases, use
 * {@link LeaseListener}.
 *
 * <p>The manager calls its monitors synchronously, on threads of callers and on the threads that renew leases and
 * process replies. A monitor must return immediately: a monitor that blocks delays renewals. The manager logs only the
 * first exception of each monitor. Exceptions of monitors never affect leases. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface LeaseMonitor {

    /**
     * Called once for each manager to which this monitor was added, before the first measurement of that manager. The
     * passed manager is ready for use. For gauges, read {@link LeaseManager#status()}.
     */
    default void started(LeaseManager manager) {}

    /** Called for each measurement. The measurements of different leases have no particular order. */
    void measured(LeaseMeasurement measurement);
}
