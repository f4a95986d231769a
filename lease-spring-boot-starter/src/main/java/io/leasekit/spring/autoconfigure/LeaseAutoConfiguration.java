package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.StandIns;
import io.leasekit.store.LeaseStore;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
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
@Import({AutoProxyRegistrar.class, NamedLeaseBeans.Managers.class})
public final class LeaseAutoConfiguration {

    // static: it is made before this configuration could be
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StandIns leaseStandIns() {
        return new StandIns();
    }

    // static, and with providers only: an advisor is made before all other beans
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DistributedLeaseAdvisor distributedLeaseAdvisor(
            ConfigurableListableBeanFactory beanFactory,
            StandIns standIns,
            ObjectProvider<LeaseProperties> properties,
            Environment environment) {
        DistributedLeaseAdvisor advisor = new DistributedLeaseAdvisor(
                beanFactory, standIns, () -> properties.getObject().settings(environment));
        // read by themselves: binding all properties here would make converters and what they need too early
        Binder binder = Binder.get(environment);
        advisor.setOrder(
                binder.bind("lease.aspect.order", Integer.class).orElse(DistributedLeaseAdvisor.DEFAULT_ORDER));
        if (!binder.bind("lease.enabled", Boolean.class).orElse(true)) {
            // ahead of time the condition was decided at build time
            advisor.switchOff();
            LeaseDisabledAutoConfiguration.warn();
        }
        return advisor;
    }

    @Bean
    LeaseEventPublisher leaseEventPublisher(ApplicationEventPublisher publisher) {
        return new LeaseEventPublisher(publisher);
    }

    @Bean
    @Lazy
    LeaseManagerFactory leaseManagerFactory(
            LeaseProperties properties,
            Environment environment,
            ObjectProvider<LeaseListener> listeners,
            ObjectProvider<LeaseManagerCustomizer> customizers,
            BeanFactory beanFactory) {
        return new LeaseManagerFactory(properties, environment, listeners, customizers, beanFactory);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    LeaseManager leaseManager(LeaseManagerFactory factory, LeaseStore store) {
        return factory.create(store);
    }

    @Bean
    RunWaitersLifecycle leaseRunWaitersLifecycle(DistributedLeaseAdvisor advisor) {
        return new RunWaitersLifecycle(advisor);
    }

    @Bean
    LeaseLifecycle leaseLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        return new LeaseLifecycle(beanFactory, advisor);
    }
}
