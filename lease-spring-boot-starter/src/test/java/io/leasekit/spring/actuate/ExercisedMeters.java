package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.LeaseBegan;
import io.leasekit.LeaseMeasurement.LeaseEnded;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RenewalEnded;
import io.leasekit.LeaseMeasurement.RenewalOutcome;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMeasurement.RequestThrottled;
import io.leasekit.LeaseMeasurement.RunEnded;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseThrottling;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.SkippedCall;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** A manager for which every measurement was made. */
final class ExercisedMeters implements AutoCloseable {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final LeaseManager leases;
    private final LeaderElection election = new FakeElection(true, null);

    ExercisedMeters(MeterRegistry registry) {
        LeaseMetrics metrics = new LeaseMetrics(registry, "default");
        leases = LeaseManager.builder(new InMemoryLeaseStore()).monitor(metrics).build();
        try (Lease lease = leases.acquire(LeaseRequest.of("order-17").named("order"))) {
            lease.ensureValid();
        }
        metrics.measured(new AcquireEnded("k", "order", AcquireOutcome.UNAVAILABLE, SECOND, SECOND));
        metrics.measured(new LeaseBegan("k", "order", 1));
        metrics.measured(new RenewalEnded("k", "order", RenewalOutcome.APPLIED, SECOND, SECOND, SECOND));
        metrics.measured(new LeaseEnded("k", "order", 1, SECOND, LeaseLossReason.EXPIRED));
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.SUCCEEDED, SECOND));
        for (RequestOutcome outcome : RequestOutcome.values()) {
            metrics.measured(new RequestEnded(Operation.RENEW, outcome, SECOND));
        }
        metrics.measured(new CapacityConsumed(Operation.RENEW, 1));
        metrics.measured(new RequestThrottled(Operation.RENEW, LeaseThrottling.KEY_RANGE));
        new LeaderMetrics(registry).elect("default", "ingest", lease -> {}, work -> election);
        new SkippedCallMeter(registry)
                .onSkipped(new SkippedCall("Orders.ship", "order", "default", SkippedCall.Reason.UNAVAILABLE, null));
    }

    @Override
    public void close() {
        leases.close();
    }
}
