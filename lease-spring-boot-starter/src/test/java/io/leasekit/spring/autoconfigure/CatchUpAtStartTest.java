package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnFailure;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Nodes that start at ten past twelve, while their jobs fire at each full hour. A test runs what their schedulers get. */
class CatchUpAtStartTest {

    private static final String ELEVEN = "2026-11-21T11:00:00Z";
    private static final String NOON = "2026-11-21T12:00:00Z";

    private static final List<String> RAN = new CopyOnWriteArrayList<>(); // slots

    private final Table table = new Table();

    @BeforeEach
    void nothingHasRun() {
        RAN.clear();
    }

    /** A table whose clock stands still. */
    private static final class Table implements LeaseStore {
        private final LeaseStore store =
                new InMemoryLeaseStore(Clock.fixed(Instant.parse("2026-11-21T12:10:04Z"), ZoneOffset.UTC));
        private final List<StoreRequest> requests = new CopyOnWriteArrayList<>();
        private volatile boolean fails;

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            requests.add(request);
            return fails
                    ? CompletableFuture.completedFuture(new StoreReply.Failed(
                            StoreReply.FailureKind.NOT_APPLIED, new IllegalStateException("Throttled"), null, false))
                    : store.send(request, timeout);
        }

        @Override
        public StoreInfo info() {
            return store.info();
        }
    }

    /** A node with these jobs, and what its scheduler is given to run once. */
    private final class Node {
        private final BlockingQueue<Runnable> given = new LinkedBlockingQueue<>();
        private final ApplicationContextRunner runner;

        private Node(Class<?> jobs) {
            runner = new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
                    .withUserConfiguration(Scheduling.class)
                    .withPropertyValues("lease.retention=1d", "lease.once-retention=2d")
                    .withBean(LeaseStore.class, () -> table)
                    .withBean("taskScheduler", TaskScheduler.class, this::scheduler)
                    .withBean(jobs);
        }

        private TaskScheduler scheduler() {
            TaskScheduler scheduler = mock(TaskScheduler.class);
            when(scheduler.getClock()).thenReturn(Clock.systemUTC());
            when(scheduler.schedule(any(Runnable.class), any(Trigger.class))).thenReturn(mock(ScheduledFuture.class));
            when(scheduler.schedule(any(Runnable.class), any(Instant.class))).thenAnswer(call -> {
                given.add(call.getArgument(0));
                return mock(ScheduledFuture.class);
            });
            return scheduler;
        }

        private void run(ContextConsumer<AssertableApplicationContext> test) {
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                test.accept(context);
            });
        }

        /** Waits for something to run. */
        private Runnable next() throws InterruptedException {
            Runnable next = given.poll(10, TimeUnit.MINUTES);
            assertThat(next).isNotNull();
            return next;
        }
    }

    /** Runs a slot on another node. */
    private void ran(String slot) {
        try (LeaseManager other =
                        LeaseManager.builder(table.store).owner("other").build();
                Lease lease = other.acquire(LeaseRequest.of("hourly").once(slot, OnceOrder.GROWING))) {
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        }
    }

    @Test
    void aSlotAtWhichEveryNodeWasDownIsRunForOneRead() {
        ran(ELEVEN);
        Node node = new Node(Hourly.class);
        node.run(context -> {
            assertThat(table.requests).as("before the jitter is over").isEmpty();
            node.next().run();
            node.next().run();

            assertThat(RAN).containsExactly(NOON);
            assertThat(table.requests.get(0)).isEqualTo(new StoreRequest.Read("hourly"));
            assertThat(table.requests)
                    .as("reads")
                    .filteredOn(CatchUpAtStartTest::isRead)
                    .hasSize(1);
        });
    }

    private static boolean isRead(StoreRequest request) {
        return !(request instanceof StoreRequest.Write);
    }

    @Test
    void ofTwoNodesThatStartOneRunsIt() {
        ran(ELEVEN);
        Node one = new Node(Hourly.class);
        Node two = new Node(Hourly.class);
        one.run(first -> two.run(second -> {
            one.next().run();
            two.next().run();
            Runnable firing = one.next();
            Runnable other = two.next();
            firing.run();
            other.run();

            assertThat(RAN).containsExactly(NOON);
        }));
    }

    @Test
    void aSlotThatIsHeldIsRunWhenItsHolderGivesItUp() {
        ran(ELEVEN);
        Node node = new Node(Hourly.class);
        try (LeaseManager other =
                LeaseManager.builder(table.store).owner("other").build()) {
            Lease held = other.acquire(LeaseRequest.of("hourly").once(NOON, OnceOrder.GROWING));
            node.run(context -> {
                node.next().run();
                node.next().run();
                assertThat(RAN).isEmpty();

                held.close(); // the run is not done
                node.next().run();

                assertThat(RAN).containsExactly(NOON);
            });
        }
    }

    @Test
    void aReadThatFailsAtTheStartWaitsForTheTable() {
        ran(ELEVEN);
        table.fails = true;
        Node node = new Node(Hourly.class);
        node.run(context -> {
            node.next().run();
            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> table.requests.size() > 1);

            table.fails = false;
            node.next().run();

            assertThat(RAN).containsExactly(NOON);
        });
    }

    /** A run that fails is done, and is recorded. With RETRY it is not. */
    @Test
    void aFailedRunThatIsToBeRepeatedIsCaughtUp() {
        ran(ELEVEN);
        Node failed = new Node(Retried.class);
        failed.run(context -> {
            failed.next().run();
            Runnable firing = failed.next();
            Retried.fails = true;
            assertThatThrownBy(firing::run).hasMessage("The run fails");
        });
        Retried.fails = false;
        Node node = new Node(Retried.class);
        node.run(context -> {
            node.next().run();
            node.next().run();

            assertThat(RAN).containsExactly(NOON);
        });
    }

    @Test
    void aJobWithoutItSendsNothingAtTheStart() {
        ran(ELEVEN);
        Node node = new Node(Plain.class);
        node.run(context -> {
            assertThat(node.given).isEmpty();
            assertThat(table.requests).isEmpty();
        });
    }

    @Test
    void aDurationForWhichRunsAreNotRememberedStopsTheStart() {
        Node node = new Node(TooLong.class);
        node.runner.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessageContaining("TooLong.run': catchUp is 3 d, but its manager remembers runs for 2 d"));
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    static class Hourly {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease(key = "hourly", catchUp = "2h")
        public void run() {
            RAN.add(LeaseContext.current().runName().orElse("none"));
        }
    }

    static class Plain {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("hourly")
        public void run() {}
    }

    static class TooLong {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease(key = "hourly", catchUp = "3d")
        public void run() {}
    }

    static class Retried {
        private static volatile boolean fails;

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease(key = "hourly", catchUp = "2h", onFailure = OnFailure.RETRY)
        public void run() {
            if (fails) {
                throw new IllegalStateException("The run fails");
            }
            RAN.add(LeaseContext.current().runName().orElse("none"));
        }
    }
}
