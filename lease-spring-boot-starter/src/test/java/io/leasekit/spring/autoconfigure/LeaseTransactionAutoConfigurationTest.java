package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.aop.LeaseCommitCheck;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class LeaseTransactionAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseTransactionAutoConfiguration.class));

    @Test
    void everyTransactionManagerHasTheCheckOnce() {
        runner.withBean("one", Transactions.class)
                .withBean("two", Transactions.class)
                .run(context -> assertThat(context.getBeansOfType(Transactions.class))
                        .hasSize(2)
                        .allSatisfy((name, manager) -> assertThat(manager.getTransactionExecutionListeners())
                                .singleElement()
                                .isInstanceOf(LeaseCommitCheck.class)));
    }

    @Test
    void itCanBeSwitchedOff() {
        runner.withBean(Transactions.class)
                .withPropertyValues("lease.check-before-commit=false")
                .run(context -> assertThat(context.getBean(Transactions.class).getTransactionExecutionListeners())
                        .isEmpty());
    }

    @Test
    void withoutTransactionsItIsAbsent() {
        runner.withClassLoader(new FilteredClassLoader(TransactionExecutionListener.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseCommitCheckPostProcessor"));
    }

    static class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
