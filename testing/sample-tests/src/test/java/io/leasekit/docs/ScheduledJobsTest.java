package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseManager;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesAutoConfiguration;
import java.io.IOException;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Runs the examples of the guides on two nodes that share a table. {@link CompiledExamplesTest} compares the texts. */
class ScheduledJobsTest {

    private final TestLeases leases = TestLeases.create();
    private final ConfigurableApplicationContext one = node();
    private final ConfigurableApplicationContext two = node();

    private ConfigurableApplicationContext node() {
        return new SpringApplicationBuilder(Node.class)
                .web(WebApplicationType.NONE)
                .initializers(context -> context.getBeanFactory().registerSingleton("leases", leases))
                .profiles("aws") // the table is in memory, so no local database is started
                .properties("lease.close-timeout=1ms")
                .run();
    }

    @AfterEach
    void closeTheNodes() {
        one.close();
        two.close();
    }

    private static ScheduledJobsExamples jobs(ConfigurableApplicationContext node) {
        return node.getBean(ScheduledJobsExamples.class);
    }

    private static ScheduledJobsExamples.Work work(ConfigurableApplicationContext node) {
        return node.getBean(ScheduledJobsExamples.Work.class);
    }

    private void fire(ConfigurableApplicationContext node, String job) {
        leases.fire(jobs(node), job);
    }

    @Test
    void bySlot() {
        fire(one, "nightlyReport");
        fire(two, "nightlyReport");

        assertThat(ran(one)).hasSize(1);
        assertThat(ran(two)).isEmpty();
        assertThat(leases.manager()
                        .find("nightly-report")
                        .orElseThrow()
                        .lastRun()
                        .name())
                .matches("....-..-..T0[12]:00:00Z");
        jobs(two).look();
    }

    @Test
    void repeatedWhenItFails() {
        work(one).failing = true;
        assertThatThrownBy(() -> fire(one, "fetchRates")).hasRootCauseInstanceOf(IOException.class);
        fire(two, "fetchRates");
        assertThat(leases.manager().find("rates").orElseThrow().lastRun()).isNotNull();
        fire(one, "fetchRates");

        assertThat(work(one).done).containsExactly("fetch");
        assertThat(work(two).done).containsExactly("fetch");
    }

    @Test
    void afterEachRun() {
        fire(one, "cleanUp");
        fire(two, "cleanUp");
        fire(one, "cleanUp");

        assertThat(work(one).done).containsExactly("cleanUp");
        assertThat(work(two).done).isEmpty();
    }

    @Test
    void inEachPeriod() {
        fire(one, "poll");
        fire(two, "poll");

        assertThat(work(one).done).containsExactly("poll");
        assertThat(work(two).done).isEmpty();
    }

    @Test
    void onceForEachName() {
        LocalDate day = LocalDate.of(2026, 11, 20);
        jobs(one).closeBooks(day);

        assertThatThrownBy(() -> jobs(two).closeBooks(day)).isInstanceOf(LeaseAlreadyRanException.class);
        jobs(two).closeBooks(day.plusDays(1));

        assertThat(work(one).done).containsExactly("close 2026-11-20");
        assertThat(work(two).done).containsExactly("close 2026-11-21");
    }

    @Test
    void onceForEachNameInAnyOrder() {
        jobs(one).importFile("b");
        jobs(one).importFile("a");

        assertThatThrownBy(() -> jobs(two).importFile("b")).isInstanceOf(LeaseAlreadyRanException.class);
        assertThat(work(one).done).containsExactly("import b", "import a");
    }

    @Test
    void withoutSpring() {
        LeaseManager leases = one.getBean(LeaseManager.class);
        ScheduledJobsExamples examples = new ScheduledJobsExamples(leases, new ScheduledJobsExamples.Work());

        examples.programmatic();

        assertThat(examples.done()).containsExactly("close 2026-11-21", "close 2026-11-22");
        assertThatThrownBy(examples::programmatic).isInstanceOf(LeaseAlreadyRanException.class);
    }

    private static List<LeaseEvent.Ran> ran(ConfigurableApplicationContext node) {
        Events events = node.getBean(Events.class);
        return events.ran;
    }

    static class Events {
        private final List<LeaseEvent.Ran> ran = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LeaseEvent.Ran event) {
            ran.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({TestLeasesAutoConfiguration.class, LeaseAutoConfiguration.class})
    static class Node {

        @Bean
        ScheduledJobsExamples.Work work() {
            return new ScheduledJobsExamples.Work();
        }

        @Bean
        ScheduledJobsExamples jobs(LeaseManager leases, ScheduledJobsExamples.Work work) {
            return new ScheduledJobsExamples(leases, work);
        }

        @Bean
        Events events() {
            return new Events();
        }
    }
}
