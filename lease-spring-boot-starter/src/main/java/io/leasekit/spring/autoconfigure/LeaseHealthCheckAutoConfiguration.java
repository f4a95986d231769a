package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.LeaseHealth;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import io.leasekit.spring.leader.LeaderElections;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the health check of leases. The check works with all supported versions of Spring Boot. While
 * leases are switched off, the check still exists, with the status up. Otherwise, an application with the check in a
 * health group would fail to start.
 */
@AutoConfiguration(after = LeaseAutoConfiguration.class)
@ConditionalOnBean(DistributedLeaseAdvisor.class)
public final class LeaseHealthCheckAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    LeaseHealthCheck leaseHealthCheck(
            ConfigurableListableBeanFactory beanFactory,
            DistributedLeaseAdvisor advisor,
            LeaderElections leaders,
            LeaseProperties properties) {
        if (!properties.enabled()) {
            return () -> new LeaseHealthCheck.Result(true, Map.of("enabled", false));
        }
        // the health check reads a key with the key prefix, because permissions may be limited to keys with the prefix
        return new LeaseHealth(
                () -> ManagerBeans.made(beanFactory),
                () -> advisor.hasAnnotatedMethods() || !leaders.elections().isEmpty(),
                () -> properties.prefix() + "lease-health",
                leaders::elections);
    }
}
