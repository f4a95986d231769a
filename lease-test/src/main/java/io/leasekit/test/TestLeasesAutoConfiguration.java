package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.TaskScheduler;

/** Auto-configuration of {@link AutoConfigureTestLeases}. */
@AutoConfiguration(before = {LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class})
public final class TestLeasesAutoConfiguration {

    // contexts of one test share their leases if each is given the same bean
    @Bean
    @ConditionalOnMissingBean
    TestLeases testLeases(ObjectProvider<LeaseManager> manager) {
        return new TestLeases(manager::getObject);
    }

    // instead of a store that the application defines, too
    @Bean
    @Primary
    LeaseStore testLeaseStore(TestLeases leases) {
        return leases.store();
    }

    @Bean
    ManagersOfTest testLeaseManagers(TestLeases leases) {
        return new ManagersOfTest(leases);
    }

    // last, so no customizer of the application sets another clock or executor
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    LeaseManagerCustomizer testLeaseManagerCustomizer(ManagersOfTest managers) {
        return (name, builder) -> managers.host(builder);
    }

    // static, and with providers only: post-processors are created before all other beans
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ContextOfTest testLeaseContext(ObjectProvider<ManagersOfTest> managers) {
        return new ContextOfTest(managers);
    }

    @Bean(name = "leaseRunScheduler", defaultCandidate = false)
    TaskScheduler leaseRunScheduler(TestLeases leases) {
        return new RunScheduler(leases);
    }
}
