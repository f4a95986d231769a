package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.aop.LeaseCommitCheck;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that adds a {@link LeaseCommitCheck} to each transaction manager, unless
 * {@code lease.check-before-commit} is {@code false}.
 */
@AutoConfiguration
@ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
public final class LeaseTransactionAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitCheckPostProcessor leaseCommitCheckPostProcessor(Environment environment) {
        return new CommitCheckPostProcessor(
                Binder.get(environment)
                        .bind("lease.check-before-commit", Boolean.class)
                        .orElse(true),
                new LeaseCommitCheck());
    }
}
