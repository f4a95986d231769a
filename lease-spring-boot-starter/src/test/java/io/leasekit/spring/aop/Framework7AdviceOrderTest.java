package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.schedule.TestFiring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimitBeanPostProcessor;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** Features of Spring Framework 7 that 6.2, the version of Boot 3.5, does not have. */
class Framework7AdviceOrderTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withBean("jobs", Jobs.class)
            .withUserConfiguration(Resilient.class);
    private final ApplicationContextRunner innerRunner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withBean("jobs", Jobs.class)
            .withUserConfiguration(ResilientInside.class);

    @Test
    void eachAttemptOfARetriedMethodTakesALeaseOfItsOwn() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.retried();
            assertThat(jobs.tokens()).hasSize(2).doesNotHaveDuplicates();
        });
    }

    @Test
    void aRefusedCallIsRetriedUnlessItsExceptionIsExcluded() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            try (Lease other = context.getBean(LeaseManager.class).acquire("busy")) {
                assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(jobs::refused);
                assertThat(jobs.acquires("refused")).isEqualTo(3);
                assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(jobs::refusedOnce);
                assertThat(jobs.acquires("refused-once")).isEqualTo(1);
                assertThat(other.isValid()).isTrue();
            }
        });
    }

    @Test
    void aRetryThatIsPlacedInsideRepeatsUnderOneLease() {
        innerRunner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.retried();
            assertThat(jobs.tokens()).hasSize(2).containsOnly(jobs.tokens().get(0));
        });
    }

    @Test
    void aRunThatFailsIsNotRetriedInItsFiringAndNotReportedAsASuccess() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThatExceptionOfType(LeaseAlreadyRanException.class)
                    .isThrownBy(() -> TestFiring.of(jobs, "hourly"))
                    .withMessageContaining("outcome=FAILED");
            assertThat(jobs.ran()).containsExactly("hourly");
        });
        innerRunner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> TestFiring.of(jobs, "hourly"))
                    .withMessage("Out of paper");
            assertThat(jobs.ran()).hasSize(3);
        });
    }

    @Test
    void aRetryThatIsPlacedInsideDoesNotRepeatARefusedCall() {
        innerRunner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            try (Lease other = context.getBean(LeaseManager.class).acquire("busy")) {
                assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(jobs::refused);
                assertThat(jobs.acquires("refused")).isEqualTo(1);
                assertThat(other.isValid()).isTrue();
            }
        });
    }

    @Test
    void aRetryThatIsPlacedInsideRepeatsWithinOneTransaction() {
        innerRunner
                .withUserConfiguration(AdviceOrderTest.WithTransactions.class)
                .run(context -> {
                    context.getBean(Jobs.class).retriedTransaction();
                    assertThat(context.getBean(AdviceOrderTest.Transactions.class).seen)
                            .containsExactly("begin leased", "commit leased");
                });
    }

    @Test
    void theOrderOfTheEnablingAnnotationMovesNothingInside() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class)
                .withBean("jobs", Jobs.class)
                .withUserConfiguration(ResilientLater.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    jobs.retried();
                    assertThat(jobs.tokens()).hasSize(2).doesNotHaveDuplicates();
                });
    }

    @Test
    void aLimitOfThisJvmCountsCallsThatStillWaitForTheirLease() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.whileAcquiring(() -> jobs.limited("second"));
            assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(() -> jobs.limited("first"));
            assertThat(jobs.ran()).isEmpty();
        });
    }

    @Test
    void aLimitThatIsPlacedInsideCountsOnlyCallsThatHoldTheirLease() {
        innerRunner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.whileAcquiring(() -> jobs.limited("second"));
            jobs.limited("first");
            assertThat(jobs.ran()).containsExactly("second", "first");

            jobs.whileRunning(() -> jobs.limited("fourth"));
            assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(() -> jobs.limited("third"));
        });
    }

    @Test
    void aLimitOfThisJvmEndsWhereAReactiveMethodReturns() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Mono<String> both = jobs.limitedReactively("first", jobs.limitedReactively("second", Mono.just("both")));
            assertThat(both.block(Duration.ofMinutes(10))).isEqualTo("both");
            assertThat(jobs.ran()).containsExactly("first", "second");
        });
    }

    @Test
    void aLimitOfThisJvmEndsWhereAMethodReturnsItsStage() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> first = jobs.limitedStage("first", work);
            CompletableFuture<String> second = jobs.limitedStage("second", work);
            work.complete("done");
            assertThat(first).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("done");
            assertThat(second).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("done");
        });
    }

    @Test
    void managersSurviveThatAContextOfTestsIsPaused() {
        runner.run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            AbstractApplicationContext source = (AbstractApplicationContext) context.getSourceApplicationContext();
            source.pause();
            source.restart();
            try (Lease lease = manager.tryAcquire("key").orElseThrow()) {
                assertThat(lease.isValid()).isTrue();
            }
        });
    }

    static class Jobs {

        private static final Runnable NOTHING = () -> {};

        private final List<String> ran = new ArrayList<>();
        private final AtomicReference<Runnable> whileAcquiring = new AtomicReference<>(NOTHING);
        private final AtomicReference<Runnable> whileRunning = new AtomicReference<>(NOTHING);
        private final List<Long> tokens = new ArrayList<>();
        private final List<String> acquired = new ArrayList<>();

        @Retryable(delay = 1)
        @DistributedLease("retried")
        public void retried() {
            tokens.add(LeaseContext.current().fencingToken());
            if (tokens.size() == 1) {
                throw new IllegalStateException("Once more");
            }
        }

        @Scheduled(cron = "@hourly")
        @Retryable(delay = 1, maxRetries = 2)
        @DistributedLease("hourly")
        public void hourly() {
            ran.add("hourly");
            throw new IllegalStateException("Out of paper");
        }

        @Transactional
        @Retryable(delay = 1)
        @DistributedLease("retried")
        public void retriedTransaction() {
            retried();
        }

        @Retryable(maxRetries = 2, delay = 1)
        @DistributedLease("#{@jobs.acquire('refused', 'busy')}")
        public void refused() {}

        @Retryable(maxRetries = 2, delay = 1, excludes = LeaseUnavailableException.class)
        @DistributedLease("#{@jobs.acquire('refused-once', 'busy')}")
        public void refusedOnce() {}

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLease("#{@jobs.acquire('limited', #name)}")
        public void limited(String name) {
            whileRunning.getAndSet(NOTHING).run();
            ran.add(name);
        }

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLease("#{#name}")
        public Mono<String> limitedReactively(String name, Mono<String> work) {
            return Mono.defer(() -> {
                ran.add(name);
                return work;
            });
        }

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLease("#{#name}")
        public CompletableFuture<String> limitedStage(String name, CompletableFuture<String> work) {
            return work.thenApply(result -> result);
        }

        public String acquire(String method, String key) {
            acquired.add(method);
            whileAcquiring.getAndSet(NOTHING).run();
            return key;
        }

        void whileAcquiring(Runnable action) {
            whileAcquiring.set(action);
        }

        void whileRunning(Runnable action) {
            whileRunning.set(action);
        }

        List<String> ran() {
            return ran;
        }

        long acquires(String method) {
            return acquired.stream().filter(method::equals).count();
        }

        List<Long> tokens() {
            return tokens;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilient {}

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true, order = Ordered.LOWEST_PRECEDENCE)
    static class ResilientLater {}

    @Configuration(proxyBeanMethods = false)
    static class ResilientInside {

        @Bean
        static RetryAnnotationBeanPostProcessor retries() {
            RetryAnnotationBeanPostProcessor retries = new RetryAnnotationBeanPostProcessor();
            retries.setBeforeExistingAdvisors(false);
            return retries;
        }

        @Bean
        static ConcurrencyLimitBeanPostProcessor limits() {
            ConcurrencyLimitBeanPostProcessor limits = new ConcurrencyLimitBeanPostProcessor();
            limits.setBeforeExistingAdvisors(false);
            return limits;
        }
    }
}
