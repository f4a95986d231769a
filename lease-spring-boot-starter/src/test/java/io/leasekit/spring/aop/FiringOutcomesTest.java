package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.RunStoppedException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.call.NoSuchLeaseManagerException;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.spring.schedule.FiringOutcome.Kind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/** What a node remembers of a firing: why it ran, or did not. */
@Tag("boot3")
class FiringOutcomesTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final LeaseRequest RUN = LeaseRequest.of("hourly").once(NOON.toString(), OnceOrder.GROWING);

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore(Clock.fixed(NOON, ZoneOffset.UTC)));
    private final LeaseManager other = beans.other;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final Jobs jobs = new Jobs();
    private final Jobs advised = beans.advise(jobs);

    FiringOutcomesTest() {
        scheduler.initialize();
        beans.beanFactory.registerSingleton("taskScheduler", scheduler);
    }

    @AfterEach
    void close() {
        beans.advisor.stopWaiting();
        scheduler.shutdown();
        beans.close();
    }

    private static Firing firing(String job) {
        return Firing.byTest(Jobs.class, job);
    }

    private static Firing fired(String job, Runnable call) {
        Firing firing = firing(job);
        firing.run(call);
        return firing;
    }

    private static void becomes(Firing firing, Kind kind) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(firing.outcome().kind()).isEqualTo(kind));
    }

    @Test
    void aFiringThatRunsHasItsSlot() {
        Firing firing = firing("hourly");
        jobs.work = () -> assertThat(firing.outcome().kind()).isEqualTo(Kind.RUNNING);

        firing.run(advised::hourly);

        assertThat(firing.outcome().kind()).isEqualTo(Kind.RAN);
        assertThat(firing.run()).isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void aFailureIsNamed() {
        jobs.work = () -> {
            throw new IllegalStateException("no paper");
        };
        Firing firing = firing("hourly");

        assertThatThrownBy(() -> firing.run(advised::hourly)).hasMessage("no paper");

        assertThat(firing.outcome().kind()).isEqualTo(Kind.FAILED);
        assertThat(firing.outcome().why()).isEqualTo("IllegalStateException: no paper");
    }

    /** Advice that repeats a call, as {@code @Retryable}, would take a skip for the success of the second attempt. */
    @Test
    void aCallThatIsRepeatedInTheFiringThatFailedIsNotSkipped() {
        jobs.work = () -> {
            throw new IllegalStateException("no paper");
        };
        Firing firing = firing("hourly");

        firing.run(() -> {
            assertThatThrownBy(advised::hourly).hasMessage("no paper");
            assertThatThrownBy(advised::hourly).isInstanceOf(LeaseAlreadyRanException.class);
        });

        assertThat(firing.outcome().kind()).isEqualTo(Kind.FAILED);
        assertThat(firing.outcome().why()).isEqualTo("IllegalStateException: no paper");
    }

    @Test
    void aFiringWhoseLeaseCannotBeAskedForHasFailed() {
        Firing firing = firing("withoutManager");

        assertThatThrownBy(() -> firing.run(advised::withoutManager)).isInstanceOf(NoSuchLeaseManagerException.class);

        assertThat(firing.outcome().kind()).isEqualTo(Kind.FAILED);
    }

    @Test
    void aRunThatIsDoneNamesItsOwnerAndTime() {
        try (Lease lease = other.acquire(RUN)) {
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        }

        FiringOutcome outcome = fired("hourly", advised::hourly).outcome();

        assertThat(outcome.kind()).isEqualTo(Kind.ALREADY_RAN);
        assertThat(outcome.by()).isEqualTo("other");
        assertThat(outcome.at()).isBetween(NOON.minusSeconds(5), NOON.plusSeconds(60));
        assertThat(outcome.why()).isNull();
    }

    @Test
    void aFailedRunThatIsDoneSaysSo() {
        try (Lease lease = other.acquire(RUN)) {
            lease.recordRun(LeaseRunOutcome.FAILED);
        }

        assertThat(fired("hourly", advised::hourly).outcome().why()).isEqualTo("FAILED");
    }

    @Test
    void aFiringThatWaitsForAnotherOwnersRunShowsHowThatEnds() {
        Lease done = other.acquire(RUN);
        Firing firing = fired("hourly", advised::hourly);
        assertThat(firing.outcome().kind()).isEqualTo(Kind.WAITING);
        assertThat(firing.outcome().by()).isEqualTo("other");

        done.recordRun(LeaseRunOutcome.SUCCEEDED);
        done.close();

        becomes(firing, Kind.ALREADY_RAN);
        assertThat(firing.outcome().by()).isEqualTo("other");
    }

    @Test
    void aRunThatAnotherOwnerHasNotDoneRunsHere() {
        Lease died = other.acquire("hourly");
        Firing firing = fired("hourly", advised::hourly);

        died.close();

        becomes(firing, Kind.RAN);
    }

    @Test
    void aFiringWithoutASlotIsHeldByTheOwner() {
        try (Lease lease = other.acquire("repeated")) {
            assertThat(lease.isValid()).isTrue();
            FiringOutcome outcome = fired("repeated", advised::repeated).outcome();

            assertThat(outcome.kind()).isEqualTo(Kind.HELD);
            assertThat(outcome.by()).isEqualTo("other");
            assertThat(outcome.at()).isNotNull();
        }
    }

    @Test
    void aFiringOfAPublisherHasItsOutcomeAtTheEndOfTheWork() {
        Firing firing = fired("published", () -> advised.published().subscribe());
        becomes(firing, Kind.RUNNING);

        jobs.end.complete(null);

        becomes(firing, Kind.RAN);
    }

    @Test
    void aWaitAndAFiringThatACloseEndsSaySo() {
        Lease elsewhere = other.acquire(RUN);
        Firing waiting = fired("hourly", advised::hourly);
        beans.advisor.stopWaiting();
        elsewhere.close();

        assertThat(waiting.outcome()).isEqualTo(FiringOutcome.CLOSING);
        assertThat(fired("hourly", advised::hourly).outcome()).isEqualTo(FiringOutcome.CLOSING);
    }

    @Test
    void workThatStopsAsItWasAskedToHasNotFailed() {
        jobs.work = () -> {
            beans.own.requestStop();
            throw new RunStoppedException("asked to");
        };
        Firing firing = fired("hourly", advised::hourly);

        assertThat(firing.outcome().kind()).isEqualTo(Kind.STOPPED);
    }

    @Test
    void aPauseNamesItsUserAndReason() {
        LeasePause pause = new LeasePause("hourly", NOON, "ada", "month-end closing");

        FiringOutcome outcome = FiringOutcome.of(new LeaseUnavailableException("paused", null, pause));

        assertThat(outcome).isEqualTo(new FiringOutcome(Kind.PAUSED, "ada", NOON, "month-end closing"));
    }

    /** Messages of Leasekit's exceptions have the key, which may be hidden. */
    @Test
    void aFailureOfTheTableIsThatOfTheSdkAndNamesNoKey() {
        FiringOutcome outcome = FiringOutcome.of(new LeaseStoreException(
                "Lease 'secret' could not be acquired", new IllegalStateException("throttled")));

        assertThat(outcome.kind()).isEqualTo(Kind.TABLE_FAILED);
        assertThat(outcome.why()).isEqualTo("IllegalStateException: throttled");
        assertThat(FiringOutcome.of(new LeaseStoreException("Lease 'secret'", null))
                        .why())
                .isEqualTo("LeaseStoreException");
    }

    static class Jobs {

        private Runnable work = () -> {};
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("hourly")
        public void hourly() {
            work.run();
        }

        @Scheduled(fixedDelay = 3_600_000)
        @DistributedLease("repeated")
        public void repeated() {}

        @Scheduled(fixedDelay = 3_600_000)
        @DistributedLease(key = "elsewhere", manager = "absent")
        public void withoutManager() {}

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("published")
        public Mono<Void> published() {
            return Mono.fromFuture(end);
        }
    }
}
