package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseInMemoryAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/** Auto-configuration of {@link AutoConfigureTestLeases}. */
@AutoConfiguration(
        before = {
            LeaseInMemoryAutoConfiguration.class,
            LeaseDynamoDbAutoConfiguration.class,
            LeaseAutoConfiguration.class
        })
public final class TestLeasesAutoConfiguration {

    // contexts of one test share their leases if each is given the same bean
    @Bean
    @ConditionalOnMissingBean
    TestLeases testLeases(ObjectProvider<LeaseManager> manager) {
        return new TestLeases(manager::getObject);
    }

    @Bean
    ContextUnderTest testLeasesContext(ConfigurableListableBeanFactory beanFactory) {
        return new ContextUnderTest(beanFactory);
    }

    // instead of a store that the application defines, too
    @Bean
    @Primary
    LeaseStore testLeaseStore(ContextUnderTest context) {
        return context.leases().store();
    }

    // last, so no customizer of the application sets another clock or executor
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    LeaseManagerCustomizer testLeaseManagerCustomizer(ContextUnderTest context) {
        return (name, builder) -> context.leases().host(builder);
    }

    // runs that this node takes over from another one
    @Bean(name = "leaseRunExecutor", defaultCandidate = false)
    Executor leaseRunExecutor(ContextUnderTest context) {
        return context::startRun;
    }

    // nothing fires by itself; the name of the processor differs between the versions of Spring
    @Bean
    static BeanFactoryPostProcessor testLeaseScheduling() {
        return beanFactory -> Arrays.stream(
                        beanFactory.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true, false))
                .forEach(((BeanDefinitionRegistry) beanFactory)::removeBeanDefinition);
    }
}
