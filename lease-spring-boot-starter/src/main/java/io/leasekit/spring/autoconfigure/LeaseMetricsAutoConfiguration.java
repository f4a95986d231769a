package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.LeaderMetrics;
import io.leasekit.spring.actuate.LeaseMetrics;
import io.leasekit.spring.actuate.SkippedCallMeter;
import io.leasekit.spring.leader.LeaderMeter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the meters of leases, if there is a meter registry.
 * {@code management.metrics.enable.lease=false} switches the meters off. While leases are switched off, the beans
 * register no meters, but still exist, because an application may inject them.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class LeaseMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "leaseMetrics")
    LeaseManagerCustomizer leaseMetrics(MeterRegistry registry) {
        return (name, builder) -> builder.monitor(new LeaseMetrics(registry, name));
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderMetrics leaseLeaderMetrics(MeterRegistry registry) {
        return new LeaderMetrics(registry);
    }

    @Bean
    LeaderMeter leaseLeaderMeter(LeaderMetrics metrics) {
        return metrics::elect;
    }

    @Bean
    @ConditionalOnMissingBean
    SkippedCallMeter leaseSkippedCallMeter(MeterRegistry registry) {
        return new SkippedCallMeter(registry);
    }
}
