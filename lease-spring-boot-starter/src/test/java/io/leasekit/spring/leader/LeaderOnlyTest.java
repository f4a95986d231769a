package io.leasekit.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@Tag("boot3")
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyTest {

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final LeaseManager others = LeaseManager.builder(table)
            .storeTimeout(Duration.ofMinutes(10))
            .closeTimeout(Duration.ZERO)
            .build();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class, () -> table)
            .withPropertyValues("lease.store-timeout=10m"); // a busy machine may run no thread for seconds

    private final Leader leader = new Leader();

    @AfterEach
    void close() {
        leader.mayReturn.release(100);
        others.close();
    }

    private static void ready(ConfigurableApplicationContext context) {
        context.publishEvent(
                new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ofSeconds(1)));
    }

    /** The method of a leader, which returns when the test allows it. */
    static class Leader {
        final BlockingQueue<String> journal = new LinkedBlockingQueue<>();
        final Semaphore mayReturn = new Semaphore(0);
        final CountDownLatch interrupted = new CountDownLatch(1);
        volatile @Nullable Thread thread;

        @LeaderOnly("ingest")
        public void run(Lease lease) {
            thread = Thread.currentThread();
            journal.add(lease.key() + " "
                    + LeaseContext.find().map(LeaseContext::key).orElse("none") + " " + lease.isValid());
            boolean returning = false;
            while (!returning) {
                try {
                    mayReturn.acquire();
                    returning = true;
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            }
        }
    }

    /** A leader that saves how far it has come, and goes on from what the leader before has saved. */
    static class Follower {
        final BlockingQueue<String> journal = new LinkedBlockingQueue<>();

        @LeaderOnly("follow")
        public void run(Progress<Long> progress, Lease lease) throws InterruptedException {
            long next = progress.last().orElse(0L) + 1;
            progress.save(next);
            journal.add(lease.key() + " " + next);
            new CountDownLatch(1).await();
        }
    }

    @Test
    void theNextLeaderGoesOnFromTheProgressOfTheOneBefore() {
        for (int term = 1; term <= 2; term++) {
            Follower follower = new Follower();
            String expected = "follow " + term;
            runner.withBean(Follower.class, () -> follower).run(context -> {
                ready(context.getSourceApplicationContext());
                assertThat(follower.journal.take()).isEqualTo(expected);
            });
        }
    }

    /** A leader that ends the application, and notes what it finds after that. */
    static class Closing {
        final CompletableFuture<String> seen = new CompletableFuture<>();

        @Nullable
        ConfigurableApplicationContext context;

        @Nullable
        LeaseManager others;

        @LeaderOnly("closing")
        public void run(Lease lease) {
            try {
                context.close();
                seen.complete("valid " + lease.isValid() + ", held "
                        + others.find("closing").filter(LeaseInfo::held).isPresent() + ", interrupted "
                        + Thread.interrupted());
            } catch (Throwable e) {
                seen.completeExceptionally(e);
            }
        }
    }

    @Test
    void aMethodThatClosesItsOwnContextReleasesItsLease(CapturedOutput output) {
        Closing closing = new Closing();
        closing.others = others;
        runner.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=10m", "lease.close-timeout=10m")
                .withBean(Closing.class, () -> closing)
                .run(context -> {
                    closing.context = context.getSourceApplicationContext();
                    ready(context.getSourceApplicationContext());

                    assertThat(closing.seen.join()).isEqualTo("valid false, held false, interrupted false");
                    assertThat(output)
                            .contains("must stop: the application stops")
                            .doesNotContain("WARN")
                            .doesNotContain("was lost");
                });
    }

    private ApplicationContextRunner withLeader() {
        return runner.withBean(Leader.class, () -> leader);
    }

    @Test
    void theMethodBeginsOnceTheApplicationIsReadyOnAThreadOfItsOwn() {
        withLeader().run(context -> {
            assertThat(context.getBean(LeaderElections.class).elections()).isEmpty();
            assertThat(others.find("ingest")).as("before it is ready").isEmpty();

            ready(context.getSourceApplicationContext());

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            assertThat(leader.thread.getName()).isEqualTo("lease-leader-ingest");
            assertThat(leader.thread.isDaemon()).isTrue();
            assertThat(context.getBean(LeaderElections.class).elections())
                    .hasEntrySatisfying(
                            Leader.class.getName() + ".run",
                            election -> assertThat(election.isLeader()).isTrue());
            leader.mayReturn.release();
        });
    }

    @Test
    void theMethodBeginsAlthoughTheApplicationIsNotReadyOnceTheRunnersHaveHadTheirTime(CapturedOutput output) {
        BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
        withLeader().withBean(BeanPostProcessor.class, () -> takingTasks(later)).run(context -> {
            Runnable task = later.remove();
            assertThat(context.getBean(LeaderElections.class).elections()).isEmpty();

            task.run();

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            leader.mayReturn.release(100);
            ready(context.getSourceApplicationContext());
            assertThat(context.getBean(LeaderElections.class).elections()).hasSize(1);
        });
        assertThat(output)
                .containsOnlyOnce(
                        "Leaders begin now, although the application is not ready 30 s after the refresh of its"
                                + " context: a runner has not returned, or the context has no SpringApplication");
    }

    /** As a test framework pauses a context without {@code SpringApplication} for the tests of another class. */
    @Test
    void theMethodBeginsAfterAStopInWhichTheTimeOfTheRunnersHasEnded() {
        BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
        withLeader().withBean(BeanPostProcessor.class, () -> takingTasks(later)).run(context -> {
            context.getSourceApplicationContext().stop();
            later.remove().run();
            assertThat(context.getBean(LeaderElections.class).elections()).isEmpty();

            context.getSourceApplicationContext().start();

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            leader.mayReturn.release(100);
        });
    }

    @Test
    void theMethodBeginsAfterAStopInWhichTheApplicationHasBecomeReady() {
        withLeader().run(context -> {
            context.getSourceApplicationContext().stop();
            ready(context.getSourceApplicationContext());
            assertThat(context.getBean(LeaderElections.class).elections()).isEmpty();

            context.getSourceApplicationContext().start();

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            leader.mayReturn.release(100);
        });
    }

    @Test
    void nothingIsLoggedIfTheApplicationIsReadyInTimeOrHasStopped(CapturedOutput output) {
        BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
        withLeader().withBean(BeanPostProcessor.class, () -> takingTasks(later)).run(context -> {
            ready(context.getSourceApplicationContext());
            leader.journal.take();
            later.remove().run();
            leader.mayReturn.release(100);
        });
        runner.withBean(Follower.class)
                .withBean(BeanPostProcessor.class, () -> takingTasks(later))
                .run(context -> {});
        later.remove().run();
        assertThat(output).doesNotContain("Leaders begin now");
    }

    @Test
    void aContextWithoutLeadersWaitsForNothing() {
        BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
        runner.withBean(BeanPostProcessor.class, () -> takingTasks(later)).run(context -> {});
        assertThat(later).isEmpty();
    }

    /** Keeps what the elections would do in 30 s. */
    private static BeanPostProcessor takingTasks(BlockingQueue<Runnable> later) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof LeaderElections leaders) {
                    leaders.afterRunners = later::add;
                }
                return bean;
            }
        };
    }

    /** Returns no tests on a JDK without virtual threads, so none is reported as skipped there. */
    @TestFactory
    Stream<DynamicTest> whereVirtualThreadsAreEnabledItsThreadIsVirtual() {
        return Stream.of(dynamicTest("virtual", this::runOnAVirtualThread))
                .filter(test -> Runtime.version().feature() >= 21);
    }

    private void runOnAVirtualThread() {
        withLeader().withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            ready(context.getSourceApplicationContext());

            leader.journal.take();
            assertThat(leader.thread.getThreadGroup().getName()).isEqualTo("VirtualThreads");
            assertThat(leader.thread.getName()).startsWith("lease-leader-ingest");
            leader.mayReturn.release();
        });
    }

    @Test
    void theKeyHasThePrefixAndThePlaceholdersOfTheApplication() {
        runner.withBean(WithPlaceholder.class)
                .withPropertyValues("lease.key-prefix=shop/", "region=eu", "lease.leader.stop-timeout=3s")
                .run(context -> {
                    ready(context.getSourceApplicationContext());
                    assertThat(context.getBean(LeaderElections.class)
                                    .elections()
                                    .values())
                            .singleElement()
                            .satisfies(election -> {
                                assertThat(election.key()).isEqualTo("shop/ingest-eu");
                                assertThat(election.stopTimeout()).isEqualTo(Duration.ofSeconds(3));
                            });
                });
    }

    static class WithPlaceholder {
        @LeaderOnly("ingest-${region}")
        void run() {}
    }

    @Test
    void overloadsHaveAnElectionEach() {
        runner.withBean(Overloads.class).run(context -> {
            ready(context.getSourceApplicationContext());

            LeaderElections leaders = context.getBean(LeaderElections.class);
            assertThat(leaders.elections().keySet())
                    .allSatisfy(name -> assertThat(leaders.manager(name)).isPresent());
            assertThat(leaders.elections())
                    .containsOnlyKeys(Overloads.class.getName() + ".run()", Overloads.class.getName() + ".run(Lease)")
                    .extractingFromEntries(entry -> entry.getValue().key())
                    .containsExactlyInAnyOrder("one", "two");
        });
        assertThat(others.tryAcquire("one")).isPresent();
        assertThat(others.tryAcquire("two")).isPresent();
    }

    static class Overloads {
        @LeaderOnly("one")
        void run() {}

        @LeaderOnly("two")
        void run(Lease lease) {}
    }

    @Test
    void closingInterruptsTheMethodAndReleasesTheLeaseOnlyAfterItsReturn() throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            withLeader().run(context -> {
                ready(context.getSourceApplicationContext());
                leader.journal.take();
            });
            closed.complete(null);
        });
        closing.start();
        leader.interrupted.await();

        assertThat(others.tryAcquire("ingest")).as("the method still runs").isEmpty();
        assertThat(closed).isNotDone();
        leader.mayReturn.release();
        closed.get(10, TimeUnit.MINUTES);

        assertThat(others.tryAcquire("ingest")).isPresent();
    }

    @Test
    void anotherNodeLeadsOnceTheFirstIsClosed() {
        Leader second = new Leader();
        withLeader().run(one -> {
            ready(one.getSourceApplicationContext());
            leader.journal.take();
            runner.withBean(Leader.class, () -> second).run(two -> {
                ready(two.getSourceApplicationContext());
                assertThat(second.journal).isEmpty();
                LeaderElection election = two.getBean(LeaderElections.class)
                        .elections()
                        .values()
                        .iterator()
                        .next();
                assertThat(election.isLeader()).isFalse();
                assertThat(election.leader()).isPresent();

                leader.mayReturn.release(100);
                one.getSourceApplicationContext().close();
                assertThat(second.journal.take()).isEqualTo("ingest ingest true");
                second.mayReturn.release(100);
            });
        });
    }

    @Test
    void theElectionsBeginAgainWhenTheContextStartsAfterAStop() {
        withLeader().run(context -> {
            ready(context.getSourceApplicationContext());
            leader.journal.take();
            leader.mayReturn.release();
            context.getSourceApplicationContext().stop();

            context.getSourceApplicationContext().start();

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            leader.mayReturn.release(100);
        });
    }

    @Test
    void nobodyElseMayCallTheMethod() {
        withLeader().run(context -> {
            Leader bean = context.getBean(Leader.class);

            assertThatIllegalStateException()
                    .isThrownBy(() -> bean.run(others.acquire("other")))
                    .withMessage("Method '" + Leader.class.getName()
                            + ".run' has @LeaderOnly, so only its election may call it, on the leader. Remove this"
                            + " call");
        });
    }

    @Test
    void switchedOffTheMethodLeadsAtOnceAndMayBeCalled() {
        withLeader().withPropertyValues("lease.enabled=false").run(context -> {
            ready(context.getSourceApplicationContext());

            assertThat(leader.journal.take()).isEqualTo("ingest ingest true");
            leader.mayReturn.release(100);
            context.getBean(Leader.class).run(others.acquire("other"));
        });
        assertThat(others.find("ingest")).isEmpty();
    }

    @Test
    void callsThatJoinTheLeaseEndBeforeItsRelease() {
        CompletableFuture<String> work = new CompletableFuture<>();
        runner.withBean(Joined.class, () -> new Joined(work))
                .withBean(WithJoined.class)
                .run(context -> {
                    ready(context.getSourceApplicationContext());
                    context.getBean(WithJoined.class).begun().take();
                    assertThat(others.tryAcquire("ingest")).isEmpty();

                    work.complete("joined");
                    assertThat(others.acquire(LeaseRequest.of("ingest").waitFor(Duration.ofMinutes(10)))
                                    .isValid())
                            .isTrue();
                });
    }

    static class Joined {
        private final CompletableFuture<String> work;

        Joined(CompletableFuture<String> work) {
            this.work = work;
        }

        @DistributedLease("ingest")
        public CompletableFuture<String> begin() {
            return work;
        }
    }

    static class WithJoined {
        private final BlockingQueue<CompletableFuture<String>> begun = new LinkedBlockingQueue<>();
        private final Joined joined;

        WithJoined(Joined joined) {
            this.joined = joined;
        }

        // not the field: that of the proxy is empty
        public BlockingQueue<CompletableFuture<String>> begun() {
            return begun;
        }

        @LeaderOnly("ingest")
        public void run() {
            begun.add(joined.begin());
        }
    }
}
