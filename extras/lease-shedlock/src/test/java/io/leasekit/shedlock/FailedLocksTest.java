package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A table that fails: the jobs of ShedLock have one line each, as those of {@code @DistributedLease} have. */
@ExtendWith(OutputCaptureExtension.class)
class FailedLocksTest {

    private static final AtomicInteger REQUESTS = new AtomicInteger();

    @Test
    void aFiringThatGetsNoLockHasALineAndNoStackTrace(CapturedOutput output) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties("lease.key-prefix=app/", "lease.store-timeout=1s")
                .run()) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> output.toString().contains("Scheduled call under lease 'app/report' failed: "));
            int before = REQUESTS.get();
            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> REQUESTS.get() > before + 2);
        }

        assertThat(output)
                .contains("ERROR")
                .doesNotContain("Unexpected error occurred in scheduled task")
                .doesNotContain("at io.leasekit.");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    @Import(Jobs.class)
    static class Application {

        @Bean
        LeaseStore leaseStore() {
            return new Denying();
        }
    }

    static class Jobs {

        @Scheduled(fixedDelay = 20)
        @SchedulerLock(name = "report")
        public void report() {}
    }

    private static final class Denying implements LeaseStore {

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            REQUESTS.incrementAndGet();
            return CompletableFuture.completedFuture(new StoreReply.Failed(
                    StoreReply.FailureKind.REJECTED, new IllegalStateException("denied"), null, false));
        }

        @Override
        public StoreInfo info() {
            return new StoreInfo("'denying'");
        }
    }
}
