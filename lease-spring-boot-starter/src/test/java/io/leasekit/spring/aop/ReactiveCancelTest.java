package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseRequest;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.Random;
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

/** A cancel at every step of a schedule in virtual time, on one thread. */
class ReactiveCancelTest {

    private static final Duration END = Duration.ofMinutes(10);
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

        private final SteppedTime time = new SteppedTime();
        private final SteppedStore store = new SteppedStore(time);
        private final AtomicInteger acquired = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();
        private final LeaseManager own = manager("own");
        private final Schedule schedule;

        Run(Schedule schedule) {
            this.schedule = schedule;
            Schedulers.setFactory(new Schedulers.Factory() {
                @Override
                public Scheduler newParallel(int parallelism, ThreadFactory threads) {
                    return Schedulers.fromExecutor(task -> time.schedule(0, task));
                }
            });
        }

        private LeaseManager manager(String owner) {
            return new EngineBuilder(store)
                    .time(time)
                    .random(new Random(1))
                    .owner(owner)
                    .callbackExecutor(task -> time.schedule(0, task))
                    .sender(task -> time.schedule(0, task))
                    .losses(task -> time.schedule(0, task))
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
            int steps = 0;
            while (steps < limit && !call.isDisposed() && time.step(END)) {
                steps++;
            }
            call.dispose();
            time.run(time.elapsed().plus(END));

            assertThat(own.held()).as("held after a cancel at step %s", steps).isEmpty();
            assertThat(own.waiting())
                    .as("waiting after a cancel at step %s", steps)
                    .isEmpty();
            assertThat(released).as("released after a cancel at step %s", steps).hasValue(acquired.get());
            assertThat(store.table.items().values())
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
                            lease -> time.schedule(OTHERS_END.toNanos(), () -> lease.ifPresent(Lease::releaseAsync)));
            time.run(Duration.ofSeconds(1));
        }

        private Jobs advised() {
            DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
            beanFactory.registerSingleton("leaseManager", own);
            Jobs jobs = new Jobs(time);
            ProxyFactory factory = new ProxyFactory(jobs);
            factory.setProxyTargetClass(true);
            factory.addAdvisor(new DistributedLeaseAdvisor(
                    beanFactory, new StandIns(), () -> new DistributedLeaseSettings("", false)));
            jobs.self = (Jobs) factory.getProxy();
            return jobs.self;
        }
    }

    static class Jobs {

        private final SteppedTime time;
        private Jobs self = this;

        Jobs() {
            this(new SteppedTime());
        }

        Jobs(SteppedTime time) {
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
