package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseRequest;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.DistributedLeaseSettings;
import io.leasekit.spring.check.StandIns;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A cancel at every step of a schedule in virtual time, on one thread. The managers are built on the kit's time and table
 * by hand, because each hand-over between their threads is to be a step of its own.
 */
class ReactiveCancelTest {

    private static final Duration END = Duration.ofMinutes(10);
    private static final Duration LATENCY = Duration.ofMillis(2); // two steps
    private static final Duration OTHERS_END = Duration.ofSeconds(3);

    /** The schedules: kinds of methods, and whether another process holds the lease at first. */
    enum Schedule {
        MONO(jobs -> jobs.mono().subscribe(), false),
        FLUX(jobs -> jobs.flux().subscribe(), false),
        FAILING(jobs -> jobs.failing().subscribe(value -> {}, failure -> {}), false),
        RETRIED(jobs -> jobs.failing().retry(2).subscribe(value -> {}, failure -> {}), false),
        NESTED(jobs -> jobs.nested().subscribe(), false),
        INTERRUPTIBLE(jobs -> jobs.interruptible().subscribe(), false),
        WAITING_MONO(jobs -> jobs.mono().subscribe(), true),
        WAITING_FLUX(jobs -> jobs.flux().subscribe(), true);

        private final Function<Jobs, Disposable> call;
        private final boolean contended;

        Schedule(Function<Jobs, Disposable> call, boolean contended) {
            this.call = call;
            this.contended = contended;
        }
    }

    @BeforeEach
    void expectFailuresThatNobodyReceives() {
        Hooks.onErrorDropped(failure -> {});
    }

    @AfterEach
    void useThreadsAgain() {
        Hooks.resetOnErrorDropped();
        Schedulers.resetFactory();
    }

    @ParameterizedTest
    @EnumSource(Schedule.class)
    void noCancelLeavesALease(Schedule schedule) {
        int steps = new Run(schedule).cancelAfter(Integer.MAX_VALUE);
        assertThat(steps).as("steps of the whole schedule").isGreaterThan(5);

        for (int step = 0; step <= Math.min(steps, 500); step++) {
            new Run(schedule).cancelAfter(step);
        }
    }

    /** One run of a schedule. */
    private static final class Run {

        private final World world = TestLeases.create().world();
        private final NodeTime clocks = world.ownTime;
        private final AtomicInteger acquired = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();
        private final LeaseManager own = manager("own");
        private final Schedule schedule;

        Run(Schedule schedule) {
            this.schedule = schedule;
            world.table.latency = LATENCY;
            Schedulers.setFactory(new Schedulers.Factory() {
                @Override
                public Scheduler newParallel(int parallelism, ThreadFactory threads) {
                    return Schedulers.fromExecutor(steps());
                }
            });
        }

        private Executor steps() {
            return task -> clocks.schedule(0, task);
        }

        private LeaseManager manager(String owner) {
            return new EngineBuilder(new NodeStore(() -> world.table))
                    .time(clocks)
                    .random(new Random(1))
                    .owner(owner)
                    .callbackExecutor(steps())
                    .sender(steps())
                    .losses(steps())
                    .monitor(this::count)
                    .build();
        }

        private void count(LeaseMeasurement measurement) {
            if (measurement instanceof LeaseMeasurement.LeaseBegan) {
                acquired.incrementAndGet();
            } else if (measurement instanceof LeaseMeasurement.LeaseEnded) {
                released.incrementAndGet();
            }
        }

        /** Cancels after this many steps, runs the rest, and returns the number of all steps before the cancel. */
        int cancelAfter(int limit) {
            if (schedule.contended) {
                holdElsewhere();
            }
            Disposable call = schedule.call.apply(advised());
            AtomicInteger asked = new AtomicInteger(); // once before each step
            world.time.move(END, () -> asked.get() == limit || call.isDisposed() || asked.incrementAndGet() < 0);
            int steps = asked.get();
            call.dispose();
            world.time.advance(END);

            assertThat(own.held()).as("held after a cancel at step %s", steps).isEmpty();
            assertThat(own.waiting())
                    .as("waiting after a cancel at step %s", steps)
                    .isEmpty();
            assertThat(released).as("released after a cancel at step %s", steps).hasValue(acquired.get());
            assertThat(world.table.items.items().values())
                    .as("items after a cancel at step %s", steps)
                    .allMatch(Run::isFree);
            return steps;
        }

        private static boolean isFree(LeaseItem item) {
            return item.releasedAtMillis() != null;
        }

        private void holdElsewhere() {
            LeaseManager other = manager("other");
            var unused = other.acquireAsync(LeaseRequest.of("key"))
                    .thenAccept(
                            lease -> clocks.schedule(OTHERS_END.toNanos(), () -> lease.ifPresent(Lease::releaseAsync)));
            world.time.advance(Duration.ofSeconds(1));
        }

        private Jobs advised() {
            DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
            beanFactory.registerSingleton("leaseManager", own);
            Jobs jobs = new Jobs(clocks);
            ProxyFactory factory = new ProxyFactory(jobs);
            factory.setProxyTargetClass(true);
            factory.addAdvisor(new DistributedLeaseAdvisor(
                    beanFactory, new StandIns(), () -> new DistributedLeaseSettings("", false)));
            jobs.self = (Jobs) factory.getProxy();
            return jobs.self;
        }
    }

    static class Jobs {

        private final NodeTime time;
        private Jobs self = this;

        Jobs(NodeTime time) {
            this.time = time;
        }

        private Mono<String> later(String value) {
            return Mono.create(sink -> time.schedule(1_000_000, () -> sink.success(value)));
        }

        @DistributedLease(key = "key", waitFor = "1m")
        public Mono<String> mono() {
            return later("mono");
        }

        @DistributedLease(key = "key", waitFor = "1m")
        public Flux<String> flux() {
            return Flux.concat(later("one"), later("two"), later("three"));
        }

        @DistributedLease("key")
        public Mono<String> failing() {
            return later("failing").flatMap(value -> Mono.error(new IllegalStateException(value)));
        }

        @DistributedLease("key")
        public Mono<String> nested() {
            return later("outer").flatMap(value -> self.mono());
        }

        @DistributedLease(key = "key", onLost = OnLost.INTERRUPT)
        public Flux<String> interruptible() {
            return Flux.concat(later("one"), later("two"));
        }
    }
}
