package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.check.AnnotatedBeans;
import io.leasekit.spring.check.StandIns;
import io.leasekit.spring.leader.LeaderElections;
import io.leasekit.spring.leader.LeaderElector;
import io.leasekit.spring.leader.LeaderMeter;
import io.leasekit.spring.leader.LeaderOnlyAdvisor;
import io.leasekit.spring.schedule.Firings;
import io.leasekit.store.LeaseStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for {@link DistributedLease} and the {@link LeaseManager}. If the application defines no manager,
 * the starter creates a manager at its first use. While no method is annotated and no manager is used, Leasekit creates
 * no thread and no client, and sends no request.
 *
 * <p>If {@code lease.enabled} is {@code false} at run time, the manager keeps its leases in memory, and no client is
 * created.
 */
@AutoConfiguration(after = {LeaseDynamoDbAutoConfiguration.class, AopAutoConfiguration.class})
@EnableConfigurationProperties(LeaseProperties.class)
@Import(AutoProxyRegistrar.class)
public final class LeaseAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LeaseAutoConfiguration.class);

    // static, because Spring creates this bean factory post-processor before all configuration objects
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StandIns leaseStandIns() {
        return new StandIns();
    }

    // static, and gets the properties lazily, because Spring creates advisors before other beans
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DistributedLeaseAdvisor distributedLeaseAdvisor(
            ConfigurableListableBeanFactory beanFactory,
            StandIns standIns,
            ObjectProvider<LeaseProperties> properties,
            Environment environment) {
        DistributedLeaseAdvisor advisor = new DistributedLeaseAdvisor(
                beanFactory, standIns, () -> properties.getObject().settings(environment));
        // reads one property only, because binding all properties would create converters and their dependencies too
        // early
        Binder binder = Binder.get(environment);
        advisor.setOrder(
                binder.bind("lease.aspect.order", Integer.class).orElse(DistributedLeaseAdvisor.DEFAULT_ORDER));
        if (!isEnabled(environment)) {
            advisor.switchOff();
            log.info(
                    "Leases are switched off by 'lease.enabled=false': they are kept in memory and exclude no other process");
        }
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderOnlyAdvisor leaderOnlyAdvisor(Environment environment) {
        return new LeaderOnlyAdvisor(isEnabled(environment));
    }

    // static, so that this post-processor also checks the beans that other post-processors need
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotatedBeans leaseAnnotatedBeans(Environment environment, StandIns standIns) {
        return new AnnotatedBeans(isEnabled(environment), standIns);
    }

    // This method reads 'lease.enabled' at run time; Spring AOT would evaluate a condition at build time.
    static boolean isEnabled(Environment environment) {
        return Binder.get(environment).bind("lease.enabled", Boolean.class).orElse(true);
    }

    @Bean
    LeaseEventPublisher leaseEventPublisher(ApplicationEventPublisher publisher) {
        return new LeaseEventPublisher(publisher);
    }

    /** This customizer runs first, so that the application's customizers can replace its settings. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    LeaseManagerCustomizer leaseListeners(Environment environment, ObjectProvider<LeaseListener> listeners) {
        return (name, builder) -> {
            String application = environment.getProperty("spring.application.name");
            if (application != null && !application.isBlank()) {
                builder.application(application);
            }
            listeners.orderedStream().forEach(builder::listener);
        };
    }

    @Bean
    static UnknownLeaseProperties unknownLeaseProperties(
            Environment environment, ConfigurableListableBeanFactory beanFactory) {
        return new UnknownLeaseProperties(environment, beanFactory);
    }

    @Bean
    WaitsLifecycle leaseWaitsLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        return new WaitsLifecycle(beanFactory, advisor);
    }

    @Bean(Firings.BEAN_NAME)
    Firings leaseFirings(ConfigurableListableBeanFactory beanFactory) {
        return new Firings(beanFactory);
    }

    @Bean
    LeaderElections leaderElections(
            ConfigurableListableBeanFactory beanFactory,
            LeaderOnlyAdvisor guard,
            DistributedLeaseAdvisor advisor,
            ObjectProvider<LeaseProperties> properties,
            ObjectProvider<LeaderElector> elector,
            ObjectProvider<LeaderMeter> meter,
            Environment environment) {
        return new LeaderElections(
                beanFactory,
                guard,
                advisor,
                () -> properties.getObject().leaderSettings(environment),
                () -> elector.getIfAvailable(() -> LeaseManager::elect),
                () -> meter.getIfAvailable(() -> (manager, name, work, elect) -> elect.apply(work)));
    }

    @Bean
    LeaseLifecycle leaseLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        return new LeaseLifecycle(beanFactory, advisor);
    }

    /** Creates the default manager, unless the application defines a manager. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LeaseManager.class)
    static final class DefaultManager {

        @Bean
        @Lazy
        LeaseManager leaseManager(
                LeaseProperties properties,
                Environment environment,
                ObjectProvider<LeaseStore> store,
                ObjectProvider<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder = LeaseManager.builder(
                            properties.enabled() ? store.getObject() : new InMemoryLeaseStore())
                    .releaseInBackground(properties.settings(environment).releaseInBackground());
            properties.applyTo(builder);
            customizers
                    .orderedStream()
                    .forEach(customizer -> customizer.customize(LeaseManagerCustomizer.DEFAULT, builder));
            return builder.build();
        }

        @Bean
        LeaseStartReport leaseStartReport(
                ConfigurableListableBeanFactory beanFactory,
                LeaseProperties properties,
                DistributedLeaseAdvisor advisor,
                LeaderElections leaders) {
            return new LeaseStartReport(beanFactory, properties, advisor, leaders);
        }
    }
}
