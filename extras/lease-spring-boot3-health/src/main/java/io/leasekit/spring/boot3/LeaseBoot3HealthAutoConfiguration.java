package io.leasekit.spring.boot3;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health contributor {@code leases} on Spring Boot 3.5. This auto-configuration is inactive
 * if {@code management.health.leases.enabled} is {@code false}, or if the health classes of Spring Boot 3 are absent.
 */
@AutoConfiguration(afterName = "io.leasekit.spring.autoconfigure.LeaseHealthCheckAutoConfiguration")
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(LeaseHealthCheck.class)
@ConditionalOnEnabledHealthIndicator("leases")
public final class LeaseBoot3HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "leasesHealthIndicator")
    HealthIndicator leasesHealthIndicator(LeaseHealthCheck check) {
        return new LeaseHealthIndicator(check);
    }
}
