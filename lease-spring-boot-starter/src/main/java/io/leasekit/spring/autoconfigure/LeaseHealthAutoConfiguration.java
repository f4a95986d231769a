package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.boot3.LeaseHealthCheck;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health contributor {@code leases} on Spring Boot 4, unless {@code
 * management.health.leases.enabled} is {@code false}. On Boot 3.5, the module {@code lease-spring-boot3-health}
 * provides the contributor.
 */
@AutoConfiguration(after = LeaseHealthCheckAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(LeaseHealthCheck.class)
@ConditionalOnEnabledHealthIndicator("leases")
public final class LeaseHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "leasesHealthIndicator")
    HealthIndicator leasesHealthIndicator(LeaseHealthCheck check) {
        return new Contributor(check);
    }

    /** Shows the result of the {@link LeaseHealthCheck}; if the check throws an exception, the status is down. */
    private static final class Contributor extends AbstractHealthIndicator {

        private final LeaseHealthCheck check;

        Contributor(LeaseHealthCheck check) {
            super("Health check of leases failed");
            this.check = check;
        }

        @Override
        protected void doHealthCheck(Health.Builder health) {
            LeaseHealthCheck.Result result = check.check();
            health.status(result.up() ? Status.UP : Status.DOWN).withDetails(result.details());
        }
    }
}
