package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.spring.schedule.TestFiring;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Firings of a scheduler that has not stopped when the beans of the application are destroyed. */
@ExtendWith(OutputCaptureExtension.class)
class FiringsAfterCloseTest {

    private static final AtomicInteger CREATED = new AtomicInteger();
    private static final AtomicInteger RUNS = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(classes = {Delayed.class, InSlots.class, Handled.class})
    void aFiringEndsWithoutRunningOrFailingOrCreatingABean(Class<?> job, CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
                .withBean(
                        LeaseManager.class,
                        () -> LeaseManager.builder(new InMemoryLeaseStore()).build())
                .withUserConfiguration(Application.class, job)
                .run(context -> {
                    Runnable firing = TestFiring.tasks(context, job, "run").get(0);
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                            .close();
                    CREATED.set(0);
                    RUNS.set(0);

                    firing.run();
                });
        assertThat(CREATED).hasValue(0);
        assertThat(RUNS).hasValue(0);
        assertThat(output).doesNotContain(" ERROR ", " WARN ");
    }

    @Configuration
    @EnableScheduling
    static class Application {

        Application() {
            CREATED.incrementAndGet();
        }

        @Bean
        ThreadPoolTaskScheduler scheduler() {
            CREATED.incrementAndGet();
            return new ThreadPoolTaskScheduler();
        }

        @Bean
        SkippedCallListener listener() {
            CREATED.incrementAndGet();
            return call -> {};
        }

        @Bean
        LeaseUnavailableHandler handler() {
            CREATED.incrementAndGet();
            return call -> null;
        }
    }

    static class Delayed {

        @Scheduled(fixedDelay = 3_600_000, initialDelay = 3_600_000)
        @DistributedLease("delayed")
        public void run() {
            RUNS.incrementAndGet();
        }
    }

    static class InSlots {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("in-slots")
        public void run() {
            RUNS.incrementAndGet();
        }
    }

    static class Handled {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease(value = "handled", unavailableHandler = "handler")
        public void run() {
            RUNS.incrementAndGet();
        }
    }
}
