package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** Features of Spring Framework 7 that 6.2, the version of Boot 3.5, does not have. */
class Framework7AdviceOrderTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withBean(Jobs.class)
            .withUserConfiguration(Resilient.class);

    @Test
    void eachAttemptOfARetriedMethodTakesALeaseOfItsOwn() {
        runner.run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.retried();
            assertThat(jobs.tokens()).hasSize(2).doesNotHaveDuplicates();
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

        private final List<Long> tokens = new ArrayList<>();

        @Retryable(delay = 1)
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

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilient {}
}
