package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.LeaseActivities;
import io.leasekit.spring.actuate.LeasesEndpoint;
import io.leasekit.spring.actuate.LeasesWebExtension;
import io.leasekit.spring.actuate.NextRuns;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.leader.LeaderElections;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** Auto-configuration for the actuator endpoint {@code leases}, if it is exposed. */
@AutoConfiguration(after = LeaseAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(DistributedLeaseAdvisor.class)
@Conditional(OnLeasesEnabledCondition.class)
@ConditionalOnAvailableEndpoint(LeasesEndpoint.class)
public final class LeaseEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeasesEndpoint leasesEndpoint(
            ConfigurableListableBeanFactory beanFactory,
            DistributedLeaseAdvisor advisor,
            LeaderElections leaders,
            LeaseProperties properties,
            LeaseActivities activities,
            ObjectProvider<ScheduledTaskHolder> scheduled) {
        return new LeasesEndpoint(
                () -> ManagerBeans.made(beanFactory),
                advisor::methods,
                leaders::elections,
                method -> leaders.manager(method).flatMap(manager -> ManagerBeans.nameOf(beanFactory, manager)),
                properties::prefix,
                properties.endpoint().showKeys(),
                activities,
                new NextRuns(scheduled::stream));
    }

    @Bean
    @ConditionalOnMissingBean
    LeasesWebExtension leasesWebExtension(LeasesEndpoint endpoint) {
        return new LeasesWebExtension(endpoint);
    }

    @Bean
    LeaseActivities leaseActivities(LeaseProperties properties) {
        return new LeaseActivities(Clock.systemUTC(), properties.endpoint().tableMaxAge());
    }

    @Bean
    LeaseManagerCustomizer leaseActivityCustomizer(ObjectProvider<LeaseActivities> activities) {
        return (name, builder) -> activities
                .getObject()
                .follow(name.equals(LeaseManagerCustomizer.DEFAULT) ? "leaseManager" : name + "LeaseManager", builder);
    }
}
