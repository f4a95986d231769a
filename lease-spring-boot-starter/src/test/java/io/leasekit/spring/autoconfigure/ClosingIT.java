package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/** An ordinary shutdown of an application with jobs: how long it takes, and what it logs. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class ClosingIT {

    /** The SDK's event loops would take 2 s alone, at each close. */
    private static final Duration QUICK = Duration.ofMillis(1_500);

    /** A busy machine makes some closes slow. A close that waits for something is always slow. */
    private static final int TRIES = 20;

    /** Unlike firings at a fixed rate, those of cron times are still executed by a scheduler that has been shut down. */
    private static final String EACH_SECOND = "* * * * * *";

    private final String table = "closing-" + UUID.randomUUID();

    @Tag("full")
    @ParameterizedTest(name = "{0} ms before a firing")
    @ValueSource(ints = {4, 40, 150, 300, 600, 900})
    void closingIsQuickAndQuiet(int millisBeforeAFiring, CapturedOutput output) throws Exception {
        assertQuick(() -> {
            ConfigurableApplicationContext node = start(Application.class);
            Firings firings = node.getBean(Firings.class);
            firings.ofJob.acquire(2);
            firings.ofCaller.acquire(2);
            awaitMillisOfSecond(1_000 - millisBeforeAFiring);

            return close(node);
        });

        assertThat(output).doesNotContain("ERROR").doesNotContain("WARN").doesNotContain("Exception");
    }

    @ParameterizedTest
    @ValueSource(classes = {WaitingJob.class, WaitingMono.class})
    void aFiringThatWaitsForItsLeaseDoesNotDelayTheEnd(Class<?> job, CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext other = start(Holder.class)) {
            LeaseManager holder = other.getBean(LeaseManager.class);
            try (Lease held = holder.tryAcquire("waiting").orElseThrow()) {
                assertQuick(() -> {
                    ConfigurableApplicationContext node = start(Waiting.class, job);
                    LeaseManager leases = node.getBean(LeaseManager.class);
                    Firings firings = node.getBean(Firings.class);
                    while (leases.status().waiting() == 0) {
                        Thread.onSpinWait();
                    }

                    Duration took = close(node);

                    assertThat(firings.ofJob.availablePermits()).isZero();
                    return took;
                });
                assertThat(held.isValid()).isTrue();
            }
        }
        assertThat(output).doesNotContain("ERROR").doesNotContain("WARN").doesNotContain("Exception");
    }

    @Test
    void aFiringThatBeginsInTheLastMomentFindsTheManagersOpen(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext node = start(LastMoment.class);
        LateCaller caller = node.getBean(LateCaller.class);
        BlockingQueue<Runnable> scheduled = node.getBean(ThreadPoolTaskScheduler.class)
                .getScheduledThreadPoolExecutor()
                .getQueue();
        caller.calls.acquire(); // so the next firing is more than a second away
        while (scheduled.isEmpty()) { // and is scheduled: a scheduler that is shut down takes none
            Thread.onSpinWait();
        }

        node.close();

        assertThat(caller.calls.availablePermits()).isPositive();
        assertThat(output).doesNotContain("ERROR").doesNotContain("WARN").doesNotContain("Exception");
    }

    /** Asserts that one of several closes is quick. */
    private static void assertQuick(Callable<Duration> closing) throws Exception {
        List<Duration> took = new ArrayList<>();
        do {
            took.add(closing.call());
        } while (took.get(took.size() - 1).compareTo(QUICK) >= 0 && took.size() < TRIES);
        assertThat(took).anySatisfy(time -> assertThat(time).isLessThan(QUICK));
    }

    private static Duration close(ConfigurableApplicationContext node) {
        long begun = System.nanoTime();
        node.close();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void awaitMillisOfSecond(int millis) {
        long now = System.currentTimeMillis();
        long then = now + Math.floorMod(millis - now, 1_000);
        while (System.currentTimeMillis() < then) { // a busy machine may leave out any millisecond
            LockSupport.parkUntil(then);
        }
    }

    private ConfigurableApplicationContext start(Class<?>... application) {
        return new SpringApplicationBuilder(application)
                .properties(
                        "lease.table.name=" + table,
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local",
                        "spring.task.scheduling.pool.size=4")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({Firings.class, Job.class, Caller.class, Guarded.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Holder {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Firings.class)
    static class Waiting {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({LateCaller.class, Guarded.class})
    static class LastMoment {}

    /** No proxy: the fields of a proxy are empty. */
    static class Firings {

        final Semaphore ofJob = new Semaphore(0);
        final Semaphore ofCaller = new Semaphore(0);
    }

    static class Job {

        private final Firings firings;

        Job(Firings firings) {
            this.firings = firings;
        }

        @Scheduled(cron = EACH_SECOND)
        @DistributedLease("job")
        void run() {
            firings.ofJob.release();
        }
    }

    /** Is scheduled itself, and calls a bean that needs a lease. */
    static class Caller {

        private final Firings firings;
        private final Guarded guarded;

        Caller(Firings firings, Guarded guarded) {
            this.firings = firings;
            this.guarded = guarded;
        }

        @Scheduled(cron = EACH_SECOND)
        void call() {
            guarded.run();
            firings.ofCaller.release();
        }
    }

    /** Lets the context go on closing when a firing has begun after the scheduler was stopped. */
    static class LateCaller implements SmartLifecycle {

        final Semaphore calls = new Semaphore(0);
        private final Semaphore begun = new Semaphore(0);
        private final Guarded guarded;
        private volatile boolean running;

        LateCaller(Guarded guarded) {
            this.guarded = guarded;
        }

        @Scheduled(cron = "*/2 * * * * *")
        void call() throws InterruptedException {
            begun.release();
            Thread.sleep(300); // meanwhile, the managers would be closed
            guarded.run();
            calls.release();
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            begun.drainPermits();
            try {
                begun.tryAcquire(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return LeaseLifecycle.PHASE + 1;
        }
    }

    static class WaitingJob {

        private final Firings firings;

        WaitingJob(Firings firings) {
            this.firings = firings;
        }

        @Scheduled(cron = EACH_SECOND)
        @DistributedLease(key = "waiting", waitFor = "1h")
        void run() {
            firings.ofJob.release();
        }
    }

    static class WaitingMono {

        private final Firings firings;

        WaitingMono(Firings firings) {
            this.firings = firings;
        }

        @Scheduled(cron = EACH_SECOND)
        @DistributedLease(key = "waiting", waitFor = "1h")
        Mono<Void> run() {
            return Mono.fromRunnable(firings.ofJob::release);
        }
    }

    static class Guarded {

        @DistributedLease("guarded")
        public void run() {}
    }
}
