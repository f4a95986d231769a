package io.leasekit.spring.aop;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the requests that the managers of a context have sent to the table and that were answered. */
final class Requests implements LeaseManagerCustomizer {

    final List<Operation> sent = new CopyOnWriteArrayList<>();

    @Override
    public void customize(String name, LeaseManagerBuilder builder) {
        builder.monitor(measurement -> {
            if (measurement instanceof RequestEnded request) {
                sent.add(request.operation());
            }
        });
    }
}
