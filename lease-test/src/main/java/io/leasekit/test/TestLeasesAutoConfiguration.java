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

    // A test may give the same TestLeases bean to several contexts, which then share their leases.
    @Bean
    @ConditionalOnMissingBean
    TestLeases testLeases(ObjectProvider<LeaseManager> manager) {
        return new TestLeases(manager::getObject);
    }

    @Bean
    ContextUnderTest testLeasesContext(ConfigurableListableBeanFactory beanFactory) {
        return new ContextUnderTest(beanFactory);
    }

    // Primary, so that this store takes precedence over a store that the application defines.
    @Bean
    @Primary
    LeaseStore testLeaseStore(ContextUnderTest context) {
        return context.leases().store();
    }

    // This customizer runs last, so that no customizer of the application sets another clock or executor.
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    LeaseManagerCustomizer testLeaseManagerCustomizer(ContextUnderTest context) {
        return (name, builder) -> context.leases().host(builder);
    }

    @Bean(name = "leaseRunExecutor", defaultCandidate = false)
    Executor leaseRunExecutor(ContextUnderTest context) {
        return context::startRun;
    }

    // Finds the processor of scheduled methods by its type, because its name differs between versions of Spring.
    @Bean
    static BeanFactoryPostProcessor testLeaseScheduling() {
        return beanFactory -> Arrays.stream(
                        beanFactory.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true, false))
                .forEach(((BeanDefinitionRegistry) beanFactory)::removeBeanDefinition);
    }
}
