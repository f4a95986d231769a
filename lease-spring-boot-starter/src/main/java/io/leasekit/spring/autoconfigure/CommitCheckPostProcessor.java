package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.aop.LeaseCommitCheck;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Adds the commit check to each configurable transaction manager. Spring Boot's customizers would reach only Spring
 * Boot's own manager.
 */
final class CommitCheckPostProcessor implements BeanPostProcessor {

    private final boolean enabled;
    private final LeaseCommitCheck check;

    CommitCheckPostProcessor(boolean enabled, LeaseCommitCheck check) {
        this.enabled = enabled;
        this.check = check;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (enabled
                && bean instanceof PlatformTransactionManager
                && bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(check);
        }
        return bean;
    }
}
