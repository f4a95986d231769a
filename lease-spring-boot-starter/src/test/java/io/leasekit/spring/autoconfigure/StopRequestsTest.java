package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.RunStoppedException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Applications that close while work under leases runs, and the applications that go on with it. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class StopRequestsTest {

    private static final int STEPS = 1_000_000; // years, so only a stop ends the work
    private static final InMemoryLeaseStore STORE = new InMemoryLeaseStore();

    private static ConfigurableApplicationContext start(Class<?>... sources) {
        SpringApplication application = new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .build();
        application.setDefaultProperties(Map.of("spring.lifecycle.timeout-per-shutdown-phase", "60s"));
        return application.run();
    }

    @Configuration
    @EnableScheduling
    @ImportAutoConfiguration(LeaseAutoConfiguration.class)
    static class Application {

        @Bean
        InMemoryLeaseStore leaseStore() {
            return STORE;
        }
    }

    // ---- an import that moves on with a rolling restart

    @Test
    void anImportGoesOnAtTheNextNodeAsSoonAsItsOwnCloses(CapturedOutput output) {
        Import next;
        try (ConfigurableApplicationContext second = start(Application.class, Import.class)) {
            next = second.getBean(Import.class);
            try (ConfigurableApplicationContext first = start(Application.class, Import.class)) {
                Import own = first.getBean(Import.class);
                Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> own.at() > 3 || next.at() > 3);
            }
            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> next.at() > 3);
        }
        assertThat(output)
                .contains("Work under lease 'import' was asked to stop")
                .doesNotContain(" ERROR ")
                .doesNotContain(" WARN ")
                .doesNotContain("Unexpected error");
        try (Lease lease = LeaseManager.builder(STORE)
                .build()
                .acquire(LeaseRequest.of("import").resumable())) {
            assertThat(lease.progress(ProgressCodec.text()).last()).contains(Integer.toString(next.at()));
        }
    }

    static class Import {

        private volatile int at;

        public int at() { // a proxy has fields of its own
            return at;
        }

        @Scheduled(fixedDelay = 10)
        @DistributedLease(key = "import", resumable = true)
        public void run() throws InterruptedException {
            Progress<String> progress = LeaseContext.current().progress(ProgressCodec.text());
            int done = progress.last().map(Integer::parseInt).orElse(0);
            while (done < STEPS) {
                if (LeaseContext.current().stopRequested()) {
                    throw new RunStoppedException("stopped after step " + done);
                }
                Thread.sleep(1);
                progress.save(Integer.toString(++done));
                at = done;
            }
        }
    }

    // ---- when the work is asked

    @Test
    void theWorkIsAskedBeforeListenersOfTheApplicationThatWaitForIt() {
        ConfigurableApplicationContext context = start(Waiting.class, Application.class);
        Lease lease = context.getBean(LeaseManager.class).acquire(LeaseRequest.of("listener"));
        CompletableFuture<Void> released = lease.whenStopRequested()
                .thenCompose(asked -> lease.releaseAsync())
                .toCompletableFuture();
        Waiting.WORK.set(released);

        context.close(); // would wait for ever

        assertThat(released).isCompleted();
    }

    @Configuration
    static class Waiting {

        static final AtomicReference<CompletableFuture<Void>> WORK = new AtomicReference<>();

        @Bean
        ApplicationListener<ContextClosedEvent> waiting() {
            return event -> WORK.get().join();
        }
    }

    @Test
    void theCloseOfAChildAsksNobody() {
        try (ConfigurableApplicationContext parent = start(Application.class)) {
            Lease lease = parent.getBean(LeaseManager.class).acquire(LeaseRequest.of("parent"));
            AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
            child.setParent(parent);
            child.refresh();

            child.close();

            assertThat(lease.stopRequested()).isFalse();
            lease.close();
        }
    }

    @Test
    void aStopAsksAndAStartAfterItBeginsAnew() {
        try (ConfigurableApplicationContext context = start(Application.class)) {
            LeaseManager leases = context.getBean(LeaseManager.class);
            Lease lease = leases.acquire("stopped");
            CompletableFuture<Void> released = lease.whenStopRequested()
                    .thenCompose(asked -> lease.releaseAsync())
                    .toCompletableFuture();

            context.stop();
            assertThat(released).succeedsWithin(Duration.ofMinutes(10)); // on another thread
            context.start();

            try (Lease again = leases.acquire("stopped")) {
                assertThat(again.stopRequested()).isFalse();
            }
        }
    }

    @Test
    void switchedOffTheWorkIsAskedToo() {
        System.setProperty("lease.enabled", "false");
        try {
            Import own;
            try (ConfigurableApplicationContext context = start(Application.class, Import.class)) {
                own = context.getBean(Import.class);
                Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> own.at() > 3);
            }
            assertThat(own.at()).isLessThan(STEPS);
        } finally {
            System.clearProperty("lease.enabled");
        }
    }

    // ---- leaders

    @Test
    void aLeaderIsAskedWithTheOthersAndInterrupted() {
        ConfigurableApplicationContext context = start(Application.class, Leader.class);
        Leader leader = context.getBean(Leader.class);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> leader.seen().contains("leads"));

        context.close();

        assertThat(leader.seen()).containsExactly("leads", "interrupted", "asked to stop");
    }

    static class Leader {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        public List<String> seen() {
            return seen;
        }

        @LeaderOnly("leader")
        public void lead() {
            seen.add("leads");
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                seen.add("interrupted");
                seen.add(LeaseContext.current().stopRequested() ? "asked to stop" : "not asked");
            }
        }
    }
}
