package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Conditions of the health indicator on Spring Boot 4. {@link LeaseHealthTest} covers its content on all versions. */
class Boot4HealthAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LeaseAutoConfiguration.class,
                    LeaseHealthCheckAutoConfiguration.class,
                    LeaseHealthAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @Test
    void thereIsOne() {
        runner.run(context -> assertThat(context).hasSingleBean(HealthIndicator.class));
    }

    @Test
    void withoutBootsHealthThereIsNone() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LeaseHealthCheck.class)
                        .doesNotHaveBean("leasesHealthIndicator"));
    }

    @Test
    void itCanBeSwitchedOffAndStaysWithoutLeases() {
        runner.withPropertyValues("management.health.leases.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
        runner.withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(
                                context.getBean(HealthIndicator.class).health())
                        .isEqualTo(Health.up().withDetail("enabled", false).build()));
    }

    @Test
    void itBacksOffForABeanOfItsName() {
        runner.withBean("leasesHealthIndicator", String.class, () -> "own")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
    }
}
