package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TaskExecutionOutcome;
import org.springframework.util.ErrorHandler;

/**
 * The log of firings that get no lease because the store fails: a line each, in place of the stack trace that Spring's own
 * error handler logs. All else about a scheduled job is as without Leasekit.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledFailuresTest {

    private static final String BY_SPRING = "Unexpected error occurred in scheduled task";
    private static final String FRAME = "\tat ";
    private static final String SHORT = "Job.run' failed: Lease 'job' in table breakable: Connection refused";

    private final BreakableStore store = new BreakableStore();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(
                    LeaseManager.class,
                    () -> LeaseManager.builder(store)
                            .storeTimeout(Duration.ofMillis(1))
                            .build())
            .withUserConfiguration(Scheduling.class);

    private void run(ApplicationContextRunner runner, Consumer<AssertableApplicationContext> test) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
        // an executor that is shut down does not wait for its last firing, whose line would be in the next output
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> Thread.getAllStackTraces().values().stream()
                        .flatMap(Arrays::stream)
                        .noneMatch(frame -> frame.getClassName().startsWith("io.leasekit.spring.call.")));
    }

    private static void await(CapturedOutput output, String text) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> output.getAll().contains(text));
    }

    // ---- in place of Spring's line

    @ParameterizedTest
    @ValueSource(
            classes = {
                None.class,
                OfPool.class,
                OfPoolByRegistrar.class,
                OfVirtualThreads.class,
                OfExecutor.class,
                OfExecutorService.class
            })
    void aFiringWithoutALeaseIsALineWithoutFrames(Class<?> scheduler, CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withUserConfiguration(scheduler).withBean(Job.class), context -> await(output, SHORT));
        assertThat(output).contains("ERROR").doesNotContain(BY_SPRING).doesNotContain(FRAME);
    }

    @Test
    void theJobGoesOn(CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withBean(Job.class), context -> {
            await(output, SHORT);
            store.failure = null;
            Job job = context.getBean(Job.class);
            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> job.runs() > 1);
        });
    }

    @Test
    void theTaskAndItsObservationHaveTheError(CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withUserConfiguration(Observed.class).withBean(Job.class), context -> {
            await(output, SHORT);
            assertThat(context.getBean(ScheduledTaskHolder.class).getScheduledTasks())
                    .singleElement()
                    .satisfies(task -> {
                        TaskExecutionOutcome outcome = Awaitility.await()
                                .atMost(Duration.ofMinutes(10)) // the next firing may have begun
                                .until(
                                        task.getTask()::getLastExecutionOutcome,
                                        last -> last.status() == TaskExecutionOutcome.Status.ERROR);
                        assertThat(outcome.throwable()).isInstanceOf(LeaseStoreException.class);
                    });
            TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
                    .hasObservationWithNameEqualTo("tasks.scheduled.execution")
                    .that()
                    .hasError();
        });
    }

    @Test
    void aCallByTheApplicationFails() {
        store.failure = new ConnectException("Connection refused");

        run(runner.withBean(NotYet.class), context -> {
            NotYet job = context.getBean(NotYet.class);
            assertThatThrownBy(job::run)
                    .isInstanceOf(LeaseStoreException.class)
                    .hasRootCauseInstanceOf(ConnectException.class);
        });
    }

    // ---- as without Leasekit

    @Test
    void aFailureOfTheJobItselfHasItsStackTrace(CapturedOutput output) {
        run(runner.withBean(Failing.class), context -> await(output, FRAME));
        assertThat(output).contains(BY_SPRING).contains("Out of paper");
    }

    /** The stack trace shows where in the job it was. */
    @Test
    void aFailureOfAnotherLeaseWithinTheJobHasItsStackTrace(CapturedOutput output) {
        store.broken = "inner";
        store.failure = new ConnectException("Connection refused");

        run(runner.withBean(Inner.class).withBean(Outer.class), context -> await(output, FRAME));
        assertThat(output)
                .contains(BY_SPRING)
                .contains("Lease 'inner' in table breakable")
                .doesNotContain("Scheduled call of");
    }

    /** It fires once only, so its line is not repeated, and nobody retries it. */
    @Test
    void aTaskThatFiresOnceHasItsStackTrace(CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withBean(Once.class), context -> await(output, FRAME));
        assertThat(output).contains(BY_SPRING);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OfPoolHandled.class,
                OfPoolByRegistrarHandled.class,
                OfVirtualThreadsHandled.class,
                OfExecutorHandled.class
            })
    void anErrorHandlerOfTheApplicationGetsTheException(Class<?> scheduler, CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withUserConfiguration(scheduler).withBean(Job.class), context -> {
            Handler handler = context.getBean(Handler.class);
            // the first firings of a busy machine may find no time to ask the store
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .untilAsserted(() -> assertThat(handler.errors)
                            .anySatisfy(error -> assertThat(error)
                                    .isInstanceOf(LeaseStoreException.class)
                                    .hasRootCauseInstanceOf(ConnectException.class)));
            assertThat(handler.errors).hasOnlyElementsOfType(LeaseStoreException.class);
        });
        assertThat(output).doesNotContain("Scheduled call of");
    }

    @Test
    void theSchedulerThatTheJobNamesCounts(CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");
        ApplicationContextRunner two = runner.withUserConfiguration(Two.class).withBean(Job.class);

        run(two.withPropertyValues("job.scheduler=handled"), context -> {
            Handler handler = context.getBean(Handler.class);
            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> !handler.errors.isEmpty());
        });
        assertThat(output).doesNotContain("Scheduled call of");
        run(two.withPropertyValues("job.scheduler=silent"), context -> await(output, SHORT));
    }

    /** It may do anything with exceptions. */
    @Test
    void aSchedulerOfTheApplicationsOwnKindGetsTheException(CapturedOutput output) {
        store.failure = new ConnectException("Connection refused");

        run(runner.withUserConfiguration(OfOwnKind.class).withBean(Job.class), context -> await(output, FRAME));
        assertThat(output).contains(BY_SPRING).doesNotContain("Scheduled call of");
    }

    // ---- the store

    /** A store whose requests fail as long as there is a failure; for one key only if it is set. */
    private static final class BreakableStore implements LeaseStore {

        private final LeaseStore working = new InMemoryLeaseStore();
        private volatile Exception failure;
        private volatile String broken;

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            Exception cause = failure;
            return cause == null || (broken != null && !request.keys().contains(broken))
                    ? working.send(request, timeout)
                    : CompletableFuture.completedFuture(
                            new StoreReply.Failed(StoreReply.FailureKind.NOT_APPLIED, cause, null, false));
        }

        @Override
        public StoreInfo info() {
            StoreInfo info = working.info();
            return new StoreInfo("breakable", info.hasTransactions(), info.hasBatches(), null, info.conditionChecks());
        }
    }

    // ---- jobs

    static class Job {

        private volatile int runs;

        @Scheduled(fixedDelay = 20, scheduler = "${job.scheduler:}")
        @DistributedLease("job")
        public void run() {
            runs++;
        }

        public int runs() { // the fields of the proxy are others
            return runs;
        }
    }

    static class NotYet {

        @Scheduled(fixedDelay = 20, initialDelay = 3_600_000)
        @DistributedLease("not-yet")
        public void run() {}
    }

    static class Failing {

        @Scheduled(fixedDelay = 20)
        @DistributedLease("failing")
        public void run() {
            throw new IllegalStateException("Out of paper");
        }
    }

    static class Inner {

        @DistributedLease("inner")
        public void run() {}
    }

    static class Outer {

        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @Scheduled(fixedDelay = 20)
        @DistributedLease("outer")
        public void run() {
            inner.run();
        }
    }

    static class Once {

        @Scheduled(initialDelay = 1)
        @DistributedLease("once")
        public void run() {}
    }

    // ---- schedulers

    static class Handler implements ErrorHandler {

        private final List<Throwable> errors = new CopyOnWriteArrayList<>();

        @Override
        public void handleError(Throwable error) {
            errors.add(error);
        }
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    @Configuration
    static class None {}

    @Configuration
    static class OfPool {
        @Bean
        ThreadPoolTaskScheduler scheduler(ObjectProvider<ErrorHandler> handler) {
            return pool(handler.getIfAvailable());
        }
    }

    @Configuration
    @Import(Handler.class)
    static class OfPoolHandled extends OfPool {}

    @Configuration
    static class OfPoolByRegistrar {
        @Bean
        SchedulingConfigurer configurer(ObjectProvider<ErrorHandler> handler) {
            ThreadPoolTaskScheduler pool = pool(handler.getIfAvailable());
            pool.setDaemon(true);
            pool.initialize();
            return registrar -> registrar.setTaskScheduler(pool);
        }
    }

    @Configuration
    @Import(Handler.class)
    static class OfPoolByRegistrarHandled extends OfPoolByRegistrar {}

    @Configuration
    static class OfVirtualThreads {
        @Bean
        SimpleAsyncTaskScheduler scheduler(ObjectProvider<ErrorHandler> handler) {
            SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
            handler.ifAvailable(scheduler::setErrorHandler);
            return scheduler;
        }
    }

    @Configuration
    @Import(Handler.class)
    static class OfVirtualThreadsHandled extends OfVirtualThreads {}

    @Configuration
    static class OfExecutor {
        @Bean
        ConcurrentTaskScheduler scheduler(ScheduledExecutorService executor, ObjectProvider<ErrorHandler> handler) {
            ConcurrentTaskScheduler scheduler = new ConcurrentTaskScheduler(executor);
            handler.ifAvailable(scheduler::setErrorHandler);
            return scheduler;
        }

        @Bean(destroyMethod = "shutdownNow")
        ScheduledExecutorService executor() {
            return Executors.newSingleThreadScheduledExecutor();
        }
    }

    @Configuration
    @Import(Handler.class)
    static class OfExecutorHandled extends OfExecutor {}

    @Configuration
    static class OfExecutorService {
        @Bean(destroyMethod = "shutdownNow")
        ScheduledExecutorService executor() {
            return Executors.newSingleThreadScheduledExecutor();
        }
    }

    /** Two schedulers, of which one has the handler. */
    @Configuration
    @Import(Handler.class)
    static class Two {
        @Bean
        ThreadPoolTaskScheduler silent() {
            return pool(null);
        }

        @Bean
        ThreadPoolTaskScheduler handled(Handler handler) {
            return pool(handler);
        }
    }

    private static ThreadPoolTaskScheduler pool(ErrorHandler handler) {
        ThreadPoolTaskScheduler pool = new ThreadPoolTaskScheduler();
        if (handler != null) {
            pool.setErrorHandler(handler);
        }
        return pool;
    }

    @Configuration
    static class Observed {
        @Bean
        TestObservationRegistry observations() {
            return TestObservationRegistry.create();
        }

        @Bean
        SchedulingConfigurer configurer(TestObservationRegistry observations) {
            return registrar -> registrar.setObservationRegistry(observations);
        }
    }

    @Configuration
    static class OfOwnKind {
        @Bean
        ThreadPoolTaskScheduler scheduler() {
            return new ThreadPoolTaskScheduler() {
                private static final long serialVersionUID = 1L;
            };
        }
    }
}
