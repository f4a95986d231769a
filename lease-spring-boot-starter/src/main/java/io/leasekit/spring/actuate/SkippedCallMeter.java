package io.leasekit.spring.actuate;

import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts skipped calls in the meter {@link LeaseMeters#SKIPPED}. Thread-safe. */
public final class SkippedCallMeter implements SkippedCallListener {

    private final MeterRegistry registry;

    /** Creates the meter. Each counter is registered at its first use. */
    public SkippedCallMeter(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void onSkipped(SkippedCall call) {
        Counter.builder(LeaseMeters.SKIPPED)
                .description("Skipped calls of annotated methods")
                .tags("manager", call.manager(), "name", call.name(), "reason", LeaseMetrics.tag(call.reason()))
                .register(registry)
                .increment();
    }
}
