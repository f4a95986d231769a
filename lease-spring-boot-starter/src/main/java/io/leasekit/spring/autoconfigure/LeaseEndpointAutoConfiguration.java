package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.LeasesAccess;
import io.leasekit.spring.actuate.LeasesEndpoint;
import io.leasekit.spring.actuate.LeasesWebExtension;
import io.leasekit.spring.actuate.NextRuns;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.leader.LeaderElections;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.EndpointFilter;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.ExposableEndpoint;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.jmx.ExposableJmxEndpoint;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/**
 * Auto-configuration for the actuator endpoint {@code leases}, if the endpoint is exposed. While leases are switched
 * off, the endpoint's bean exists, but neither HTTP nor JMX exposes the endpoint. A filter hides the endpoint at run
 * time, because Spring AOT would evaluate a condition on {@code lease.enabled} at build time.
 */
@AutoConfiguration(after = LeaseAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(DistributedLeaseAdvisor.class)
@ConditionalOnAvailableEndpoint(LeasesEndpoint.class)
public final class LeaseEndpointAutoConfiguration {

    private static final EndpointId ID = EndpointId.of("leases");

    @Bean
    @ConditionalOnMissingBean
    LeasesEndpoint leasesEndpoint(
            ConfigurableListableBeanFactory beanFactory,
            DistributedLeaseAdvisor advisor,
            LeaderElections leaders,
            LeaseProperties properties,
            ObjectProvider<ScheduledTaskHolder> scheduled) {
        return new LeasesEndpoint(
                () -> ManagerBeans.made(beanFactory),
                advisor::methods,
                new LeasesEndpoint.Leaders(
                        leaders::elections,
                        method ->
                                leaders.manager(method).flatMap(manager -> ManagerBeans.nameOf(beanFactory, manager))),
                properties::prefix,
                properties.endpoint().showKeys(),
                properties.endpoint().tableMaxAge(),
                new NextRuns(scheduled::stream));
    }

    @Bean
    @ConditionalOnMissingBean
    LeasesWebExtension leasesWebExtension(LeasesEndpoint endpoint, DistributedLeaseAdvisor advisor) {
        return new LeasesWebExtension(endpoint, advisor::fireAgain);
    }

    @Bean
    static EndpointFilter<ExposableWebEndpoint> leasesWebEndpointFilter(Environment environment) {
        return endpoint -> isShown(endpoint, environment);
    }

    @Bean
    static EndpointFilter<ExposableJmxEndpoint> leasesJmxEndpointFilter(Environment environment) {
        return endpoint -> isShown(endpoint, environment);
    }

    /**
     * Hides writes unless {@link LeasesAccess} allows them, because Spring Boot's filter also obeys properties for all
     * endpoints.
     */
    @Bean
    static OperationFilter<WebOperation> leasesWebOperationFilter(Environment environment) {
        return (operation, endpoint, access) -> isOpen(operation, endpoint, environment);
    }

    @Bean
    static OperationFilter<JmxOperation> leasesJmxOperationFilter(Environment environment) {
        return (operation, endpoint, access) -> isOpen(operation, endpoint, environment);
    }

    private static boolean isOpen(Operation operation, EndpointId endpoint, Environment environment) {
        return !endpoint.equals(ID)
                || operation.getType() == OperationType.READ
                || LeasesAccess.isUnrestricted(environment);
    }

    private static boolean isShown(ExposableEndpoint<?> endpoint, Environment environment) {
        return !endpoint.getEndpointId().equals(ID) || LeaseAutoConfiguration.isEnabled(environment);
    }
}
