package io.leasekit.dynamodb;

import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMonitor;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** What requests consume, for a monitor that wants to know; nobody is asked otherwise. Thread-safe. */
final class Capacity {

    static final Capacity NOT_ASKED = new Capacity(null);

    private final @Nullable LeaseMonitor monitor;

    Capacity(@Nullable LeaseMonitor monitor) {
        this.monitor = monitor;
    }

    @Nullable
    ReturnConsumedCapacity asked() {
        return monitor == null ? null : ReturnConsumedCapacity.TOTAL;
    }

    void told(LeaseMeasurement.Operation operation, @Nullable ConsumedCapacity consumed) {
        if (monitor != null && consumed != null && consumed.capacityUnits() != null) {
            monitor.measured(new LeaseMeasurement.CapacityConsumed(operation, consumed.capacityUnits()));
        }
    }
}
