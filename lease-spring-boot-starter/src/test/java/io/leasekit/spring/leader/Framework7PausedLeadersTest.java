package io.leasekit.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** Spring Framework 7 pauses the contexts of tests that are not in use. */
@Timeout(600)
class Framework7PausedLeadersTest {

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final BlockingQueue<String> journal = new LinkedBlockingQueue<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class, () -> table)
            .withPropertyValues("lease.store-timeout=10m");

    @Test
    void theElectionsPauseWithTheirContextSoThatOfTheNextClassLeads() {
        runner.withBean(Leader.class, () -> new Leader("one", journal)).run(one -> {
            ready(one.getSourceApplicationContext());
            assertThat(journal.take()).isEqualTo("one");
            one.getSourceApplicationContext().pause();

            runner.withBean(Leader.class, () -> new Leader("two", journal)).run(two -> {
                ready(two.getSourceApplicationContext());
                assertThat(journal.take()).isEqualTo("two");
            });
            one.getSourceApplicationContext().restart();

            assertThat(journal.take()).isEqualTo("one");
        });
    }

    private static void ready(ConfigurableApplicationContext context) {
        context.publishEvent(
                new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ofSeconds(1)));
    }

    static class Leader {
        private final String name;
        private final BlockingQueue<String> journal;

        Leader(String name, BlockingQueue<String> journal) {
            this.name = name;
            this.journal = journal;
        }

        @LeaderOnly("ingest")
        public void run() throws InterruptedException {
            journal.add(name);
            new CountDownLatch(1).await();
        }
    }
}
