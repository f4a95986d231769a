package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseTransactionAutoConfiguration;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class AdviceOrderTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseAutoConfiguration.class, LeaseTransactionAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withBean(Jobs.class)
            .withPropertyValues("lease.close-timeout=0s");

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void aTransactionIsBegunAndCommittedUnderTheLease() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            context.getBean(Jobs.class).transactional(() -> {});
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "commit leased");
        });
    }

    @Test
    void aTransactionIsRolledBackUnderTheLease() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class).transactional(() -> {
                        throw new IllegalStateException();
                    }));
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "rollback leased");
        });
    }

    @Test
    void theOrderCanBeChosen() {
        runner.withUserConfiguration(WithOuterTransactions.class).run(context -> {
            context.getBean(Jobs.class).transactional(() -> {});
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin", "commit");
        });
        runner.withUserConfiguration(WithOuterTransactions.class)
                .withPropertyValues("lease.aspect.order=6")
                .run(context -> {
                    context.getBean(Jobs.class).transactional(() -> {});
                    assertThat(context.getBean(Transactions.class).seen)
                            .containsExactly("begin leased", "commit leased");
                });
    }

    @Test
    void aTransactionWhoseLeaseIsLostIsRolledBack() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class).transactional(manager::close));
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "rollback leased");
        });
    }

    @Test
    void aTransactionWhoseOuterLeaseIsLostIsRolledBack() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            FakeLease outer = new FakeLease("outer");
            LeaseFrame frame = LeaseFrame.enter(hold(context.getBean(LeaseManager.class), outer), true);
            try {
                assertThatExceptionOfType(LeaseLostException.class)
                        .isThrownBy(() ->
                                context.getBean(Jobs.class).transactional(() -> outer.lose(LeaseLossReason.TAKEN)));
            } finally {
                frame.exit();
            }
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "rollback leased");
        });
    }

    @Test
    void aTransactionIsCommittedAfterTheEndOfAnOuterCallThatDidNotAwaitIt() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            CompletableFuture<Void> mayReturn = new CompletableFuture<>();
            AtomicReference<CompletableFuture<Void>> shipped = new AtomicReference<>();
            jobs.dispatch(() -> shipped.set(jobs.ship(mayReturn)));

            mayReturn.complete(null);

            assertThat(shipped.get()).succeedsWithin(Duration.ofMinutes(10));
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "commit leased");
        });
    }

    @Test
    void aTransactionOfWorkWhoseOwnCallHasEndedIsRolledBack() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            SharedLease cancelled = hold(manager, manager.acquire("job"));
            LeaseFrame frame = LeaseFrame.enter(cancelled, true);
            try {
                cancelled.leave();
                assertThatExceptionOfType(LeaseException.class)
                        .isThrownBy(context.getBean(Jobs.class)::onlyTransactional);
            } finally {
                frame.exit();
            }
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "rollback leased");
        });
    }

    private static SharedLease hold(LeaseManager manager, Lease lease) {
        return new SharedLease(manager, lease, Lease::close);
    }

    @Test
    void withoutTheCheckATransactionWhoseLeaseIsLostIsCommitted() {
        runner.withUserConfiguration(WithTransactions.class)
                .withPropertyValues("lease.check-before-commit=false")
                .run(context -> {
                    LeaseManager manager = context.getBean(LeaseManager.class);
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(() -> context.getBean(Jobs.class).transactional(manager::close));
                    assertThat(context.getBean(Transactions.class).seen)
                            .containsExactly("begin leased", "commit leased");
                });
    }

    @Test
    void aMethodThatOnlyTellsOfALossCommits() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            context.getBean(Jobs.class).transactionalNotifying(context.getBean(LeaseManager.class)::close);
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "commit leased");
        });
    }

    @Test
    void aReadOnlyTransactionIsNotChecked() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class).readOnly(manager::close));
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin leased", "commit leased");
        });
    }

    @Test
    void aTransactionOutsideOfALeaseIsNotChecked() {
        runner.withUserConfiguration(WithTransactions.class).run(context -> {
            context.getBean(LeaseManager.class).close();
            context.getBean(Jobs.class).onlyTransactional();
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin", "commit");
        });
    }

    @Test
    void aCallThatMethodSecurityDeniesTakesNoLease() {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("user", "password", "ROLE_USER"));
        runner.withUserConfiguration(WithMethodSecurity.class).run(context -> {
            assertThatExceptionOfType(AccessDeniedException.class)
                    .isThrownBy(() -> context.getBean(Jobs.class).forAdmins());
            assertThat(context.getBean(LeaseManager.class).find("for-admins")).isEmpty();
        });
    }

    @Test
    void anAsynchronousCallTakesItsLeaseWhereItRuns() {
        runner.withUserConfiguration(WithAsync.class).run(context -> {
            CompletableFuture<Boolean> result = context.getBean(Jobs.class).async();
            assertThat(context.getBean(LeaseManager.class).find("async")).isEmpty();
            context.getBean(Later.class).tasks.remove().run();
            assertThat(result).isCompletedWithValue(true);
        });
    }

    @Test
    void springRetryRepeatsACallUnderOneLease() {
        runner.withUserConfiguration(WithRetry.class).run(context -> {
            context.getBean(Jobs.class).retried();
            List<Long> tokens = context.getBean(Jobs.class).tokens();
            assertThat(tokens).hasSize(2).containsOnly(tokens.get(0));
        });
    }

    @Test
    void springRetryFurtherOutsideTakesALeaseForEachAttempt() {
        runner.withUserConfiguration(WithOuterRetry.class).run(context -> {
            context.getBean(Jobs.class).retried();
            assertThat(context.getBean(Jobs.class).tokens()).hasSize(2).doesNotHaveDuplicates();
        });
    }

    static class Jobs {

        private final List<Long> tokens = new ArrayList<>();

        @Transactional
        @DistributedLease("job")
        public void transactional(Runnable body) {
            body.run();
        }

        @Transactional
        @DistributedLease(key = "job", onLost = OnLost.NOTIFY)
        public void transactionalNotifying(Runnable body) {
            body.run();
        }

        @Transactional(readOnly = true)
        @DistributedLease("job")
        public void readOnly(Runnable body) {
            body.run();
        }

        @Transactional
        public void onlyTransactional() {}

        @DistributedLease("dispatch")
        public void dispatch(Runnable body) {
            body.run();
        }

        @Transactional
        @DistributedLease("order")
        public CompletableFuture<Void> ship(CompletableFuture<Void> mayReturn) {
            mayReturn.orTimeout(10, TimeUnit.MINUTES).join(); // it must not be its caller that waits
            return CompletableFuture.completedFuture(null);
        }

        @PreAuthorize("hasRole('ADMIN')")
        @DistributedLease("for-admins")
        public void forAdmins() {}

        @Async
        @DistributedLease("async")
        public CompletableFuture<Boolean> async() {
            return CompletableFuture.completedFuture(LeaseContext.find().isPresent());
        }

        @Retryable
        @DistributedLease("retried")
        public void retried() {
            tokens.add(LeaseContext.current().fencingToken());
            if (tokens.size() == 1) {
                throw new IllegalStateException("Once more");
            }
        }

        List<Long> tokens() {
            return tokens;
        }
    }

    static class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        final transient List<String> seen = new ArrayList<>();

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            see("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            see("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            see("rollback");
        }

        private void see(String step) {
            seen.add(LeaseContext.find().isPresent() ? step + " leased" : step);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class WithTransactions {
        @Bean
        Transactions transactions() {
            return new Transactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 7)
    static class WithOuterTransactions {
        @Bean
        Transactions transactions() {
            return new Transactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class WithMethodSecurity {}

    static class Later implements Executor {

        final Queue<Runnable> tasks = new ArrayDeque<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class WithAsync {
        @Bean
        Later taskExecutor() {
            return new Later();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class WithRetry {}

    @Configuration(proxyBeanMethods = false)
    @EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 2000)
    static class WithOuterRetry {}
}
