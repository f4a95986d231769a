package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.ProgressCodec;
import io.leasekit.RunStoppedException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.spring.schedule.ReactiveFirings;
import io.leasekit.spring.schedule.TestFiring;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Work that stops because it was asked to: no success, no error, and the next owner goes on. */
@ExtendWith(OutputCaptureExtension.class)
class StoppedRunsTest {

    /** Spring's line about a publisher that fails. */
    private static final String ERROR = "Unexpected error";

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final String SLOT = "2026-11-21T12:00:00Z";
    private static final Duration SOON = Duration.ofMinutes(10);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore(Clock.fixed(NOON, ZoneOffset.UTC));
    private final LeasedBeans beans = new LeasedBeans(store);
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final Jobs jobs = new Jobs();
    private final Jobs advised = beans.advise(jobs);

    StoppedRunsTest() {
        scheduler.setErrorHandler(errors::add);
        scheduler.initialize();
        beans.beanFactory.registerSingleton("taskScheduler", scheduler);
    }

    @AfterEach
    void close() {
        beans.advisor.stopWaiting();
        scheduler.shutdown();
        beans.close();
    }

    private void fire(String job) {
        if (job.equals("mono")) {
            ReactiveFirings.of(advised, job).fire();
        } else {
            TestFiring.of(advised, job);
        }
    }

    private Optional<Lease> next(String job) {
        return beans.other.tryAcquire(
                LeaseRequest.of(job).once(SLOT, OnceOrder.GROWING).resumable());
    }

    /** Returns the progress that the next owner finds, once it gets the lease: the release is not awaited. */
    private String nextProgress(String job) {
        Optional<Lease> next = Awaitility.await().atMost(SOON).until(() -> next(job), Optional::isPresent);
        try (Lease lease = next.orElseThrow()) {
            return lease.progress(ProgressCodec.text()).last().orElse("none");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "wrapped", "mono"})
    void aFiringEndsWithoutAnErrorAndTheNextOwnerGoesOn(String job, CapturedOutput output) {
        beans.own.requestStop();

        fire(job);

        Awaitility.await().atMost(SOON).until(() -> jobs.stopped.contains(job));
        assertThat(nextProgress(job)).isEqualTo("half");
        assertThat(ItemRun.of(store.item(job).orElseThrow().records())).isNull();
        assertThat(output)
                .contains("Work under lease '" + job + "' was asked to stop after")
                .doesNotContain(ERROR)
                .doesNotContain("half done");
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "wrapped"})
    void withoutARequestItIsAFailure(String job) {
        assertThatThrownBy(() -> fire(job)).hasStackTraceContaining("half done");

        assertThat(ItemRun.of(store.item(job).orElseThrow().records()).outcome())
                .isEqualTo(LeaseRunOutcome.FAILED.name());
        assertThat(next(job)).isEmpty();
    }

    @Test
    void withoutARequestThatOfAPublisherIsAFailure(CapturedOutput output) {
        fire("mono");

        Awaitility.await().atMost(SOON).until(() -> output.getAll().contains(ERROR));
        assertThat(ItemRun.of(store.item("mono").orElseThrow().records()).outcome())
                .isEqualTo(LeaseRunOutcome.FAILED.name());
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "wrapped", "mono"})
    void aRunThatBeganElsewhereEndsWithoutAnErrorToo(String job) {
        Lease elsewhere = beans.other.tryAcquire(job).orElseThrow();
        fire(job);
        beans.own.requestStop();
        assertThat(jobs.stopped).isEmpty();

        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> jobs.stopped.contains(job));
        assertThat(nextProgress(job)).isEqualTo("half");
        assertThat(errors).isEmpty();
    }

    @Test
    void everyOtherCallerGetsTheException() {
        beans.own.requestStop();

        assertThatThrownBy(advised::blocking).isInstanceOf(RunStoppedException.class);
        assertThat(advised.stage())
                .failsWithin(SOON)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RunStoppedException.class);
        assertThatThrownBy(() -> advised.mono().block(SOON)).isInstanceOf(RunStoppedException.class);
        Awaitility.await().atMost(SOON).until(() -> beans.own.held().isEmpty());
    }

    @Test
    void aHoldDoesNotKeepTheNextOwnerWaiting() {
        beans.own.requestStop();

        fire("held");

        assertThat(nextProgress("held")).isEqualTo("half");
    }

    @Test
    void aNestedCallThatJoinsLeavesTheDecisionToTheOuterOne() {
        beans.own.requestStop();
        jobs.self = advised;

        fire("outer");

        assertThat(ItemRun.of(store.item("blocking").orElseThrow().records()).outcome())
                .isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
    }

    /** Reactor logs as an error what a cancel of the stage throws. */
    @Test
    void aPublisherMayWaitForTheRequest() {
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            assertThat(advised.endsBefore().block(SOON)).isEqualTo("ended");
            assertThat(dropped).isEmpty();
            CompletableFuture<String> waiting = advised.waits().toFuture();
            Awaitility.await().atMost(SOON).until(() -> !beans.own.held().isEmpty());

            beans.own.requestStop();

            assertThat(waiting).succeedsWithin(SOON).isNull();
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }

    static class Jobs {

        final List<String> stopped = new CopyOnWriteArrayList<>();
        volatile Jobs self;

        private void stop(String job) {
            LeaseContext.current().progress(ProgressCodec.text()).save("half");
            stopped.add(job);
            throw new RunStoppedException("half done");
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "blocking", resumable = true)
        public void blocking() {
            stop("blocking");
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "wrapped", resumable = true)
        public void wrapped() {
            LeaseContext.current().progress(ProgressCodec.text()).save("half");
            stopped.add("wrapped");
            CompletableFuture.failedFuture(new RunStoppedException("half done")).join();
        }

        @DistributedLease(key = "stage", resumable = true)
        public CompletableFuture<Void> stage() {
            LeaseContext context = LeaseContext.current();
            return context.progress(ProgressCodec.text())
                    .saveAsync("half")
                    .<Void>thenCompose(saved -> {
                        stopped.add("stage");
                        throw new RunStoppedException("half done");
                    })
                    .toCompletableFuture();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "mono", resumable = true)
        public Mono<Void> mono() {
            return ReactiveLeaseContext.current()
                    .flatMap(context -> Mono.fromCompletionStage(
                            context.progress(ProgressCodec.text()).saveAsync("half")))
                    .then(Mono.fromRunnable(() -> {
                        stopped.add("mono");
                        throw new RunStoppedException("half done");
                    }));
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "held", resumable = true, holdAtLeast = "10m", cooldown = "10m")
        public void held() {
            stop("held");
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "blocking", resumable = true)
        public void outer() {
            try {
                self.blocking();
            } catch (RunStoppedException e) {
                // it is done anyway
            }
        }

        @DistributedLease("ends")
        public Mono<String> endsBefore() {
            return Mono.delay(Duration.ofMillis(10)).thenReturn("ended").takeUntilOther(asked());
        }

        @DistributedLease("waits")
        public Mono<String> waits() {
            return Mono.<String>never().takeUntilOther(asked());
        }

        private static Mono<Void> asked() {
            return ReactiveLeaseContext.current()
                    .flatMap(context -> Mono.fromCompletionStage(context.whenStopRequested()));
        }
    }
}
