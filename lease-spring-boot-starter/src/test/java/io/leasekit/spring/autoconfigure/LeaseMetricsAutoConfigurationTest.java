package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.actuate.LeaderMetrics;
import io.leasekit.spring.actuate.SkippedCallMeter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

class LeaseMetricsAutoConfigurationTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseAutoConfiguration.class, LeaseMetricsAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    private final ApplicationContextRunner runner = bare.withBean(SimpleMeterRegistry.class);

    @Test
    void annotatedCallsAreMeasuredByTheTextOfTheirKey() {
        runner.withBean(Job.class).run(context -> {
            context.getBean(Job.class).run(17);

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            // measured by a thread of the manager
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .untilAsserted(() -> assertThat(registry.get("lease.acquire")
                                    .tags("manager", "default", "name", "job-#{#id}", "outcome", "granted")
                                    .timer()
                                    .count())
                            .isOne());
            assertThat(registry.get("lease.held").gauge().value()).isZero();
        });
    }

    @Test
    void skippedCallsAreCounted() {
        runner.withBean(Job.class).withInitializer(new FurtherManager("other")).run(context -> {
            LeaseManager other = context.getBean("other", LeaseManager.class);
            other.run("job-17", () -> context.getBean(Job.class).run(17));

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("lease.skipped")
                            .tags("manager", "default", "name", "job-#{#id}", "reason", "unavailable")
                            .counter()
                            .count())
                    .isEqualTo(1);
            // measured by a thread of the manager
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .untilAsserted(() -> assertThat(registry.find("lease.acquire")
                                    .tags("manager", "other", "name", "none")
                                    .timers())
                            .singleElement()
                            .satisfies(acquires -> assertThat(acquires.count()).isOne()));
        });
    }

    @Test
    void leadersAreMeasuredByTheTextOfTheirKeyAlsoAfterARestart() {
        runner.withBean(Leader.class).withPropertyValues("region=eu").run(context -> {
            ConfigurableApplicationContext node = context.getSourceApplicationContext();
            node.publishEvent(
                    new ApplicationReadyEvent(new SpringApplication(), new String[0], node, Duration.ofSeconds(1)));
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertLeads(registry, 1);
            assertThat(registry.get("lease.leader.stuck").gauge().value()).isZero();
            // measured by a thread of the manager
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .untilAsserted(() -> assertThat(registry.find("lease.acquire")
                                    .tags("name", "ingest-${region}")
                                    .timers())
                            .singleElement()
                            .satisfies(acquires -> assertThat(acquires.count()).isOne()));

            node.stop();
            assertThat(registry.get("lease.leader").gauge().value()).isZero();
            node.start();
            assertLeads(registry, 2);
        });
    }

    private static void assertLeads(MeterRegistry registry, int terms) {
        String[] tags = {"manager", "default", "name", "ingest-${region}"};
        Awaitility.await().atMost(Duration.ofMinutes(10)).untilAsserted(() -> {
            assertThat(registry.get("lease.leader").tags(tags).gauge().value()).isOne();
            assertThat(registry.get("lease.leader.terms").tags(tags).counter().count())
                    .isEqualTo(terms);
        });
    }

    @Test
    void withoutARegistryItIsAbsent() {
        bare.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("leaseMetrics")
                .doesNotHaveBean(LeaderMetrics.class)
                .doesNotHaveBean(SkippedCallMeter.class));
    }

    @Test
    void withoutMicrometerItIsAbsent() {
        bare.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LeaseManager.class)
                        .doesNotHaveBean("leaseMetrics"));
    }

    @Test
    void switchedOffTheLeasesOfThisProcessAreMeasured() {
        runner.withPropertyValues("lease.enabled=false").withBean(Job.class).run(context -> {
            context.getBean(Job.class).run(17);
            assertThat(context.getBean(MeterRegistry.class).find("lease.held").gauge())
                    .isNotNull();
            assertThat(context).hasSingleBean(LeaderMetrics.class);
        });
    }

    @Test
    void itBacksOffForABeanOfItsName() {
        runner.withBean("leaseMetrics", LeaseManagerCustomizer.class, () -> (name, builder) -> {})
                .withBean(Job.class)
                .run(context -> {
                    context.getBean(Job.class).run(17);
                    assertThat(context.getBean(MeterRegistry.class).getMeters()).isEmpty();
                });
    }

    @Test
    void metersCanBeSwitchedOff() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("lease."));
        bare.withBean(MeterRegistry.class, () -> registry).withBean(Job.class).run(context -> {
            context.getBean(Job.class).run(17);
            assertThat(registry.getMeters()).isEmpty();
        });
    }

    @Test
    void customizersAreToldTheNameOfEachManager() {
        StringBuilder names = new StringBuilder();
        runner.withBean(
                        "names",
                        LeaseManagerCustomizer.class,
                        () -> (name, builder) -> names.append(name).append(' '))
                .withInitializer(new FurtherManager("slow", builder -> builder.ttl(Duration.ofSeconds(90))))
                .run(context -> {
                    assertThat(context.getBean(LeaseManager.class).status().held())
                            .isZero();
                    assertThat(context.getBean("slow", LeaseManager.class)
                                    .status()
                                    .ttl())
                            .hasSeconds(90);
                    assertThat(names).hasToString("default slow ");
                });
    }

    static class Leader {
        @LeaderOnly("ingest-${region}")
        public void run() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    static class Job {
        @DistributedLease(key = "job-#{#id}", onUnavailable = OnUnavailable.SKIP)
        public void run(int id) {}
    }
}
