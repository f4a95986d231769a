package io.leasekit.spring.actuate;

import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts skipped calls, as {@link LeaseMeters#SKIPPED}. Thread-safe. */
public final class SkippedCallMeter implements SkippedCallListener {

    private final MeterRegistry registry;

    /** Creates the counters in this registry, as they are needed. */
    public SkippedCallMeter(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void onSkipped(SkippedCall call) {
        Counter.builder(LeaseMeters.SKIPPED)
                .description("Calls of annotated methods that were skipped")
                .tags("manager", call.manager(), "name", call.name(), "reason", LeaseMetrics.tag(call.reason()))
                .register(registry)
                .increment();
    }
}
