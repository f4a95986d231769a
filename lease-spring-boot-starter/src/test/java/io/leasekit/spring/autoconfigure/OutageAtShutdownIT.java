package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The shutdown of an application whose table does not answer. After the end of the work, the close timeout bounds it,
 * whatever the application has: leaders, jobs, leases of its own, several managers.
 */
@Tag("full")
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class OutageAtShutdownIT {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);

    private final Relay relay = new Relay(LocalDynamoDb.endpoint());

    /** Threads of earlier tests in this JVM, whose releases may still be retried. */
    private final Set<Thread> ofOthers = Set.copyOf(Thread.getAllStackTraces().keySet());

    /** A way in which a table does not answer. */
    enum Outage {
        REFUSED {
            @Override
            void of(Relay relay) {
                relay.refuse();
            }
        },
        SILENT {
            @Override
            void of(Relay relay) {
                relay.fallSilent();
            }
        };

        abstract void of(Relay relay);
    }

    /** The releases that are retried in the background end with the ttl, and must not log into the next test. */
    @AfterEach
    void endRelay() {
        relay.refuse();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> !ofOthers.contains(thread))
                        .map(Thread::getName)
                        .noneMatch(name -> name.startsWith("lease-sender") || name.startsWith("lease-timer")));
    }

    @ParameterizedTest
    @EnumSource
    void theCloseTimeoutBoundsTheShutdown(Outage outage, CapturedOutput output) throws Exception {
        ConfigurableApplicationContext node = start();
        Work work = node.getBean(Work.class);
        assertThat(work.leading.tryAcquire(2, 10, TimeUnit.MINUTES)).isTrue();
        assertThat(work.ran.tryAcquire(2, 10, TimeUnit.MINUTES)).isTrue();
        LeaseManager leases = node.getBean(LeaseManager.class);
        Lease released = leases.acquire(LeaseRequest.of("released"));
        Lease ofTwo = leases.acquire(LeaseRequest.ofAll("a", "b"));

        outage.of(relay);
        released.releaseAsync();
        ofTwo.releaseAsync();
        node.close(); // if it waited for the table, Spring would wait for an hour, much longer than a test may take

        assertThat(work.leadersEnded.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(output).doesNotContain("Shutdown phase");
    }

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .initializers(new FurtherManager(
                        "second", builder -> builder.ttl(Duration.ofSeconds(6)).closeTimeout(CLOSE_TIMEOUT)))
                .properties(
                        "lease.table.name=outage-" + UUID.randomUUID(),
                        "lease.table.create=if-missing",
                        "lease.close-timeout=" + CLOSE_TIMEOUT.toSeconds() + "s",
                        "lease.dynamodb.endpoint=" + relay.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local",
                        "lease.ttl=5s",
                        "spring.lifecycle.timeout-per-shutdown-phase=1h",
                        "spring.task.scheduling.pool.size=4")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({Work.class, Leaders.class, Jobs.class})
    static class Application {}

    /** No proxy: the fields of a proxy are empty. */
    static class Work {

        final Semaphore leading = new Semaphore(0);
        final Semaphore ran = new Semaphore(0);
        final CountDownLatch leadersEnded = new CountDownLatch(2);
    }

    static class Leaders {

        private final Work work;

        Leaders(Work work) {
            this.work = work;
        }

        @LeaderOnly("first-leader")
        void first() {
            lead();
        }

        @LeaderOnly(value = "second-leader", manager = "second")
        void second() {
            lead();
        }

        private void lead() {
            work.leading.release();
            try {
                new Semaphore(0).acquire();
            } catch (InterruptedException e) {
                work.leadersEnded.countDown(); // ends at once
            }
        }
    }

    static class Jobs {

        private final Work work;

        Jobs(Work work) {
            this.work = work;
        }

        @Scheduled(fixedDelay = 100)
        @DistributedLease("often")
        void often() {
            work.ran.release();
        }

        @Scheduled(fixedDelay = 150)
        @DistributedLease(key = "of-second", manager = "second")
        void ofSecond() {
            work.ran.release();
        }
    }

    /** Passes bytes to the server and back, until an outage. */
    private static final class Relay {

        private final URI server;
        private final ServerSocket listener;
        private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
        private volatile boolean silent;

        Relay(URI server) {
            this.server = server;
            try {
                listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            daemon(this::accept);
        }

        String endpoint() {
            return "http://127.0.0.1:" + listener.getLocalPort();
        }

        /** Keeps all connections, but passes nothing. */
        void fallSilent() {
            silent = true;
        }

        void refuse() {
            close(listener);
            sockets.forEach(Relay::close);
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = listener.accept();
                    Socket upstream = new Socket(server.getHost(), server.getPort());
                    sockets.add(client);
                    sockets.add(upstream);
                    daemon(() -> pass(client, upstream));
                    daemon(() -> pass(upstream, client));
                }
            } catch (IOException e) {
                refuse();
            }
        }

        private void pass(Socket from, Socket to) {
            byte[] bytes = new byte[8192];
            try {
                int read = from.getInputStream().read(bytes);
                while (read >= 0) {
                    if (!silent) {
                        to.getOutputStream().write(bytes, 0, read);
                    }
                    read = from.getInputStream().read(bytes);
                }
                close(to);
            } catch (IOException e) {
                close(from);
                close(to);
            }
        }

        private static void daemon(Runnable task) {
            Thread thread = new Thread(task, "relay");
            thread.setDaemon(true);
            thread.start();
        }

        private static void close(AutoCloseable one) {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
