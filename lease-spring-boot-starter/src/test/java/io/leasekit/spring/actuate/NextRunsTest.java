package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.leasekit.spring.policy.LeasedMethod;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.support.CronExpression;

class NextRunsTest {

    private static final String NEW_YEAR = "0 0 3 1 1 *";

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Scheduling.class);
    private final NextRuns nextRuns = new NextRuns(() -> context.getBeanProvider(ScheduledTaskHolder.class).stream());
    private final Jobs jobs = context.getBean(Jobs.class);

    @AfterEach
    void close() {
        jobs.end.countDown();
        context.close();
    }

    private Instant next(String method) {
        return Objects.requireNonNull(nextRuns.byMethod().get(name(method)), method);
    }

    private static String name(String method) {
        return Jobs.class.getName() + "." + method;
    }

    private static Instant newYear() {
        return Objects.requireNonNull(CronExpression.parse(NEW_YEAR).next(ZonedDateTime.now(ZoneOffset.UTC)))
                .toInstant();
    }

    @Test
    void aCronExpressionFiresAtItsNextTime() {
        assertThat(next("atNewYear")).isEqualTo(newYear());
    }

    @Test
    void ratesAndDelaysFireAfterTheirInitialDelay() {
        Instant now = Instant.now();

        // rounded to the second, and on a slow machine the context is some seconds old
        assertThat(next("byRate")).isBetween(now.plusSeconds(1_680), now.plusSeconds(1_801));
        assertThat(next("byDelay")).isBetween(now.plusSeconds(3_480), now.plusSeconds(3_601));
    }

    @Test
    void theEarliestOfSeveralTriggersCounts() {
        assertThat(next("byBoth")).isBefore(Instant.now().plusSeconds(86_401)).isBefore(newYear());
    }

    @Test
    void aMethodThatFiresNowOrNeverHasNone() throws InterruptedException {
        assertThat(jobs.begun.await(10, TimeUnit.MINUTES)).isTrue();

        assertThat(nextRuns.byMethod()).doesNotContainKeys(name("running"), name("off"));
    }

    @Test
    void aCancelledTaskHasNone() {
        context.getBean(ScheduledAnnotationBeanPostProcessor.class)
                .getScheduledTasks()
                .forEach(ScheduledTask::cancel);

        assertThat(nextRuns.byMethod()).isEmpty();
    }

    @Test
    void theEndpointShowsItWithEachJob() {
        LeasedMethod scheduled =
                new LeasedMethod(name("atNewYear"), "report", "", "report", List.of(), true, List.of(), 0, 0, 0, 0, 0);
        LeasedMethod called =
                new LeasedMethod(name("called"), "called", "", "called", List.of(), false, List.of(), 0, 0, 0, 0, 0);
        LeasesEndpoint endpoint = new LeasesEndpoint(
                Map::of,
                () -> List.of(scheduled, called),
                new LeasesEndpoint.Leaders(Map::of, method -> Optional.empty()),
                () -> "",
                true,
                Duration.ofSeconds(30),
                nextRuns);

        for (String view : List.of("jobs", "firings")) {
            assertThat(endpoint.view(view, null, null, null, null, null))
                    .asInstanceOf(MAP)
                    .extractingByKey("jobs")
                    .asInstanceOf(LIST)
                    .satisfiesExactly(
                            job -> assertThat(job)
                                    .asInstanceOf(MAP)
                                    .containsEntry("nextRun", newYear().toString()),
                            job -> assertThat(job).asInstanceOf(MAP).doesNotContainKey("nextRun"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import(Jobs.class)
    static class Scheduling {}

    static class Jobs {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @Scheduled(cron = NEW_YEAR, zone = "UTC")
        void atNewYear() {}

        @Scheduled(fixedRate = 7_200_000, initialDelay = 1_800_000)
        void byRate() {}

        @Scheduled(fixedDelayString = "PT2H", initialDelayString = "PT1H")
        void byDelay() {}

        @Scheduled(cron = NEW_YEAR, zone = "UTC")
        @Scheduled(fixedRate = 86_400_000, initialDelay = 3_600_000)
        void byBoth() {}

        @Scheduled(fixedDelay = 3_600_000)
        void running() {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the context closes
            }
        }

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        void off() {}
    }
}
