package io.leasekit.spring.integration;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.leader.LeaderElector;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Configures a {@link LeaseLockRegistry}, unless the application defines a lock registry. Configures
 * {@link LeaderEvents} for the elections of {@code @LeaderOnly} methods. Lease keys begin with the value of
 * {@code lease.key-prefix}, but the roles of leader events do not.
 */
@AutoConfiguration(after = LeaseAutoConfiguration.class)
@ConditionalOnClass({LockRegistry.class, LeaseAutoConfiguration.class})
public final class LeaseIntegrationAutoConfiguration {

    private static String keyPrefix(Environment environment) {
        return Binder.get(environment).bind("lease.key-prefix", String.class).orElse("");
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(LeaseManager.class)
    static class Registry {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(LockRegistry.class)
        LeaseLockRegistry leaseLockRegistry(LeaseManager leases, Environment environment) {
            String prefix = keyPrefix(environment);
            return new LeaseLockRegistry(leases, key -> LeaseRequest.of(prefix + key));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderEvents leaseLeaderEvents(
            ObjectProvider<LeaderEventPublisher> publisher, ApplicationEventPublisher events, Environment environment) {
        return new LeaderEvents(
                publisher.getIfUnique(() -> new DefaultLeaderEventPublisher(events)), keyPrefix(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderElector leaseLeaderElector(LeaderEvents events) {
        return events::elect;
    }
}
