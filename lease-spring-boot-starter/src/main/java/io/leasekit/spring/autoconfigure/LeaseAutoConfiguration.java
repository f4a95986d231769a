package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseStore;
import io.leasekit.OwnerNames;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.DistributedLeaseAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Puts {@link DistributedLease} into effect and makes the {@link LeaseManager}, at its first use, unless the application has
 * one. Without an annotated method and without a use of the manager it makes no thread and no client, and sends no request.
 */
@AutoConfiguration(after = {LeaseDynamoDbAutoConfiguration.class, AopAutoConfiguration.class})
@ConditionalOnProperty(name = "lease.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LeaseProperties.class)
@Import(AutoProxyRegistrar.class)
public final class LeaseAutoConfiguration {

    // static, and with providers only: an advisor is made before all other beans
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DistributedLeaseAdvisor distributedLeaseAdvisor(
            ConfigurableBeanFactory beanFactory, ObjectProvider<LeaseProperties> properties, Environment environment) {
        return new DistributedLeaseAdvisor(
                beanFactory, () -> properties.getObject().settings(environment));
    }

    @Bean
    LeaseListener leaseEventPublisher(ApplicationEventPublisher publisher) {
        return publisher::publishEvent;
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    LeaseManager leaseManager(
            LeaseStore store,
            LeaseProperties properties,
            Environment environment,
            ObjectProvider<LeaseListener> listeners) {
        String owner = properties.owner();
        LeaseManagerBuilder builder = LeaseManager.builder(store)
                .owner(
                        owner != null
                                ? owner
                                : OwnerNames.of(environment.getProperty("spring.application.name", "application")))
                .ttl(properties.ttl())
                .releaseMode(properties.releaseMode())
                .retention(properties.retention());
        if (properties.heartbeatInterval() != null) {
            builder.heartbeatInterval(properties.heartbeatInterval());
        }
        listeners.orderedStream().forEach(builder::listener);
        return builder.build();
    }

    @Bean
    LeaseLifecycle leaseLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        return new LeaseLifecycle(beanFactory, advisor);
    }
}
