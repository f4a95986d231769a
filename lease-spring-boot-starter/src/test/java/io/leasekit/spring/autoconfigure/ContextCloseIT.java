package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Contexts that close at times that suit nobody, with Netty's client: no stack trace is logged. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class ContextCloseIT {

    private final String table = "close-" + UUID.randomUUID();

    /** The ways in which a leader's method may close its own context. */
    enum Way {
        CLOSE {
            @Override
            void close(ConfigurableApplicationContext context) {
                context.close();
            }
        },
        EXIT {
            @Override
            void close(ConfigurableApplicationContext context) {
                SpringApplication.exit(context);
            }
        },
        ANOTHER_THREAD {
            @Override
            void close(ConfigurableApplicationContext context) throws InterruptedException {
                Thread closing = new Thread(context::close);
                closing.start();
                closing.join(); // the signal to stop interrupts this
            }
        };

        abstract void close(ConfigurableApplicationContext context) throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource
    void aLeaderThatClosesItsOwnContextHasReleasedItsLease(Way way, CapturedOutput output) {
        ConfigurableApplicationContext node =
                start(Closing.class, "lease.owner=first", "lease.close-timeout=10m", "test.way=" + way);
        Closing.Leader leader = node.getBean(Closing.Leader.class);

        assertThat(leader.seen().join())
                .isEqualTo(way == Way.ANOTHER_THREAD ? "told to stop, valid true" : "closed, valid false");

        await().atMost(Duration.ofMinutes(10)).until(() -> !node.isActive());
        try (ConfigurableApplicationContext other = start(Application.class)) {
            LeaseManager others = other.getBean(LeaseManager.class);
            await().atMost(Duration.ofMinutes(10))
                    .until(() -> others.find("closing").filter(LeaseInfo::held).isEmpty());
            assertThat(others.find("closing"))
                    .as("a release, not the end of the ttl")
                    .hasValueSatisfying(lease -> assertThat(lease.releasedAt()).isNotNull());
        }
        assertNoTrace(output);
        assertThat(output)
                .contains("must stop: the application stops")
                .doesNotContain("was lost")
                .doesNotContain(" WARN ");
    }

    @Test
    void aContextThatClosesWhenItHasStartedLogsNoTrace(CapturedOutput output) {
        for (int i = 0; i < 5; i++) {
            start(Scheduler.class).close();
        }

        assertNoTrace(output);
    }

    /** The check of the table goes on in the background. The server accepts connections and never answers. */
    @Test
    void aContextThatClosesDuringTheCheckOfItsTableLogsNoTrace(CapturedOutput output) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            start(Scheduler.class, "lease.dynamodb.endpoint=http://127.0.0.1:" + silent.getLocalPort())
                    .close();
        }

        assertThat(output).contains("could not be checked");
        assertNoTrace(output);
    }

    @Test
    void aContextWhoseServerRefusesConnectionsLogsNoTrace(CapturedOutput output) {
        start(Scheduler.class, "lease.dynamodb.endpoint=http://127.0.0.1:1").close();

        assertThat(output).contains("could not be checked");
        assertNoTrace(output);
    }

    /** Threads of the application acquire and release until the manager is closed, and some wait. */
    @Test
    void aContextThatClosesUnderLoadLogsNoTrace(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext node = start(Application.class, "lease.close-timeout=1s");
        LeaseManager leases = node.getBean(LeaseManager.class);
        CountDownLatch busy = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            String key = "key-" + i % 10;
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        Lease lease = leases.acquire(LeaseRequest.of(key).waitFor(Duration.ofMinutes(1)));
                        busy.countDown();
                        lease.close();
                    }
                } catch (RuntimeException closed) {
                    busy.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        assertThat(busy.await(10, TimeUnit.MINUTES)).isTrue();

        node.close();

        assertNoTrace(output);
    }

    private static void assertNoTrace(CapturedOutput output) {
        assertThat(output)
                .doesNotContain(" ERROR ")
                .doesNotContain("\tat io.netty.")
                .doesNotContain("\tat software.amazon.")
                .doesNotContain("RejectedExecutionException")
                .doesNotContain("event executor terminated");
    }

    private ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .properties(
                        "lease.table.name=" + table,
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local")
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Scheduler.Jobs.class)
    static class Scheduler {

        static class Jobs {

            @Scheduled(fixedDelay = 1)
            @DistributedLease("one")
            void one() {}

            @Scheduled(cron = "* * * * * *")
            @DistributedLease("two")
            void two() {}
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Closing.Leader.class)
    static class Closing {

        static class Leader {

            private final CompletableFuture<String> seen = new CompletableFuture<>();
            private final ConfigurableApplicationContext context;

            Leader(ConfigurableApplicationContext context) {
                this.context = context;
            }

            public CompletableFuture<String> seen() {
                return seen;
            }

            @LeaderOnly("closing")
            public void run(Lease lease) {
                try {
                    context.getEnvironment()
                            .getRequiredProperty("test.way", Way.class)
                            .close(context);
                    seen.complete("closed, valid " + lease.isValid());
                } catch (InterruptedException e) {
                    seen.complete("told to stop, valid " + lease.isValid());
                } catch (Throwable e) {
                    seen.completeExceptionally(e);
                }
            }
        }
    }
}
