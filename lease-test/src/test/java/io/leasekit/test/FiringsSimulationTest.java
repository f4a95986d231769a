package io.leasekit.test;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.internal.EngineTable;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Schedules of nodes that fire one job each minute, in virtual time: nodes start, crash and shut down, their clocks differ, their
 * schedulers are late, and the table fails. A schedule is repeated by its seed.
 */
class FiringsSimulationTest {

    private static final int SCHEDULES = 2;
    private static final int MORE_SCHEDULES = 50;
    private static final Duration LENGTH = Duration.ofMinutes(20);
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final Duration TTL = Duration.ofSeconds(10);

    /** By which a node's clock may differ from DynamoDB's. */
    private static final Duration MAX_SKEW = Duration.ofSeconds(3);

    /** Of the clock that knows DynamoDB's time by the dates of its replies, which are whole seconds. */
    private static final Duration PRECISION = Duration.ofSeconds(2);

    private static final Duration LONGEST_RUN = Duration.ofSeconds(8);

    /** Enough for a take-over, or for the first request after an outage, and a run. */
    private static final Duration ENOUGH = Duration.ofSeconds(35);

    /** A change that breaks a promise, so the schedule of its seed must find it. */
    enum Mutant {
        NONE(0),
        /** The slot is the one nearest to the time at which the firing begins. */
        NEAREST_TO_NOW(1),
        /** A firing that meets an outage is skipped. */
        PENDING_IS_DROPPED(1),
        /** A firing that waited for the table begins although the next slot has come. */
        PENDING_OUTLIVES_ITS_SLOT(1),
        /** Firings begin runs while the application closes. */
        BEGINS_WHILE_CLOSING(4);

        final int seed;

        Mutant(int seed) {
            this.seed = seed;
        }
    }

    /** A promise was broken. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Broken(String what) {
            super(what);
        }
    }

    static IntStream schedules() {
        return IntStream.rangeClosed(1, SCHEDULES);
    }

    static IntStream moreSchedules() {
        return IntStream.rangeClosed(SCHEDULES + 1, MORE_SCHEDULES);
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void eachSlotHasItsRunAtItsTime(int seed) {
        assertThat(new Schedule(seed, Mutant.NONE).run()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("moreSchedules")
    @Tag("full")
    void eachSlotHasItsRunAtItsTimeInMoreSchedules(int seed) {
        assertThat(new Schedule(seed, Mutant.NONE).run()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theScheduleOfItsSeedFindsTheMutant(Mutant mutant) {
        assertThat(finds(mutant, mutant.seed))
                .as("schedule %d; if the schedules have changed, another may find it", mutant.seed)
                .isTrue();
    }

    private static boolean finds(Mutant mutant, int seed) {
        try {
            new Schedule(seed, mutant).run();
            return false;
        } catch (Broken found) {
            return true;
        }
    }

    /** A run that has begun. */
    private static final class Run {
        final Node node;
        final Instant slot;
        final Instant begun;

        @Nullable
        Instant ended;

        boolean cancelled; // by its context, which closes
        boolean recorded; // otherwise the table did not answer at its end, and the lease may expire before it does

        Run(Node node, Instant slot, Instant begun) {
            this.node = node;
            this.slot = slot;
            this.begun = begun;
        }

        @Override
        public String toString() {
            return "run " + slot + " on " + node + " from " + begun + " to " + ended;
        }
    }

    /** Of the present schedule, in which Reactor works, too. */
    private static @Nullable VirtualTime time;

    @BeforeAll
    static void letReactorWorkInVirtualTime() {
        Schedulers.setFactory(new Schedulers.Factory() {
            @Override
            public Scheduler newParallel(int parallelism, ThreadFactory threads) {
                return Schedulers.fromExecutor(task -> requireNonNull(time).schedule(0, Runnable::run, task));
            }
        });
    }

    @AfterAll
    static void letReactorWork() {
        Schedulers.resetFactory();
    }

    private static final class Schedule {
        final Random random;
        final Mutant mutant;
        final int seed;
        final World world = new World(new Processes());
        final List<Node> nodes = new ArrayList<>();
        final List<Run> runs = new ArrayList<>();
        final List<Instant[]> answering = new ArrayList<>(); // from, to

        @Nullable
        Broken broken;

        Schedule(int seed, Mutant mutant) {
            time = world.time;
            this.seed = seed;
            this.mutant = mutant;
            this.random = new Random(seed * 7919L);
        }

        /** Returns the number of runs. */
        int run() {
            try {
                for (int i = 0; i < 3; i++) {
                    at(between(0, 90_000), this::startNode);
                }
                at(between(0, 180_000), this::beginOutage);
                answering.add(new Instant[] {VirtualTime.START, Instant.MAX});
                world.time.advance(LENGTH);
                check();
                return runs.size();
            } finally {
                nodes.forEach(Node::kill);
                world.table.down = false;
                nodes.forEach(node -> node.context.close());
                world.end();
            }
        }

        Duration between(int fromMillis, int toMillis) {
            return Duration.ofMillis(random.nextInt(fromMillis, toMillis + 1));
        }

        /** Most times short, sometimes up to the maximum. */
        Duration mostlyShort(int maxMillis) {
            return random.nextInt(4) == 0 ? between(0, maxMillis) : between(0, 300);
        }

        void at(Duration in, Runnable step) {
            world.time.schedule(in.toNanos(), Runnable::run, step);
        }

        void startNode() {
            Node node = new Node(this, "node-" + nodes.size());
            nodes.add(node);
            node.start();
            at(between(60_000, 600_000), () -> {
                if (random.nextBoolean()) {
                    node.shutDown();
                } else {
                    node.kill();
                }
                at(mostlyShort(200_000), this::startNode);
            });
        }

        void beginOutage() {
            world.table.down = true;
            answering.get(answering.size() - 1)[1] = world.time.now();
            at(between(1_000, 150_000), () -> {
                world.table.down = false;
                answering.add(new Instant[] {world.time.now(), Instant.MAX});
                at(between(10_000, 240_000), this::beginOutage);
            });
        }

        Run begin(Node node, Instant slot) {
            Instant now = world.time.now();
            Run run = new Run(node, slot, now);
            if (now.isBefore(slot.minus(node.skew.abs()).minus(PRECISION))) {
                breaks("before its time: " + run);
            }
            if (node.closing) {
                breaks("on a node that closes: " + run);
            }
            for (Run other : runs) {
                if (other.slot.equals(slot) && other.recorded) {
                    breaks("done before: " + run + ", " + other);
                }
                if (other.ended == null && !other.cancelled && !other.node.killed) {
                    breaks("at the same time: " + run + ", " + other);
                }
            }
            runs.add(run);
            return run;
        }

        /** A run that had to wait for the table and not for another node. */
        void checkNotTooLate(Run run) {
            Instant next = run.slot.plus(PERIOD);
            boolean waitedForOther = runs.stream()
                    .anyMatch(other -> other != run
                            && !other.begun.isAfter(run.begun)
                            && (other.ended == null || other.ended.isAfter(run.begun.minus(TTL.multipliedBy(3)))));
            if (!waitedForOther
                    && run.begun.isAfter(next.plus(run.node.skew.abs()).plus(PRECISION))) {
                throw broken("after the next slot: " + run);
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
            runs.forEach(this::checkNotTooLate);
            for (Instant slot = VirtualTime.START.plus(PERIOD);
                    slot.isBefore(VirtualTime.START.plus(LENGTH).minus(PERIOD));
                    slot = slot.plus(PERIOD)) {
                Instant due = slot;
                if (runs.stream().noneMatch(run -> run.slot.equals(due)) && couldRun(due)) {
                    throw broken("no run of slot " + due);
                }
            }
        }

        /** Whether a node lived through this slot and fired for it in time, and the table answered for long enough. */
        boolean couldRun(Instant slot) {
            Instant end = slot.plus(PERIOD).minus(MAX_SKEW).minus(PRECISION);
            boolean answered = answering.stream().anyMatch(window -> {
                Instant from = later(window[0], slot.plus(MAX_SKEW).plus(PRECISION));
                Instant to = window[1].isBefore(end) ? window[1] : end;
                return Duration.between(from, to).compareTo(ENOUGH) >= 0;
            });
            return answered && nodes.stream().anyMatch(node -> node.fired(slot) && node.livedUntil(slot.plus(PERIOD)));
        }

        private static Instant later(Instant a, Instant b) {
            return a.isAfter(b) ? a : b;
        }

        /** A run that begins cannot throw, because its scheduler would log that. */
        void breaks(String what) {
            broken = broken == null ? broken(what) : broken;
        }

        Broken broken(String what) {
            return new Broken("Seed " + seed + ", " + what);
        }
    }

    /** A process: a context with a scheduler and a manager of its own. */
    private static final class Node implements TaskScheduler {
        final Schedule schedule;
        final String name;
        final Duration skew;
        final NodeTime time;
        final LeaseManager manager;
        final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        final List<Instant> punctual = new ArrayList<>(); // times of the trigger for which it fired at once

        @Nullable
        Instant end;

        boolean closing;
        boolean killed;

        Node(Schedule schedule, String name) {
            this.schedule = schedule;
            this.name = name;
            this.skew = schedule.between(0, (int) MAX_SKEW.multipliedBy(2).toMillis())
                    .minus(MAX_SKEW);
            this.time = new NodeTime(schedule.world.time);
            EngineBuilder builder = new EngineBuilder(
                            new NodeStore(schedule.world.table, time, () -> killed ? name + " is dead" : null))
                    .owner(name)
                    .ttl(TTL);
            schedule.world.host(builder, time);
            this.manager = ofProcess(builder.build(), schedule.mutant == Mutant.PENDING_OUTLIVES_ITS_SLOT);
        }

        void start() {
            context.registerBean("leaseManager", LeaseManager.class, () -> manager);
            context.registerBean("taskScheduler", TaskScheduler.class, () -> this);
            Executor late = this::executeLate;
            context.registerBean("leaseRunExecutor", Executor.class, () -> late);
            if (schedule.mutant == Mutant.PENDING_IS_DROPPED) {
                context.registerBean(SkippingJob.class, () -> new SkippingJob(this));
            } else {
                context.registerBean(Job.class, () -> new Job(this));
            }
            context.register(Application.class);
            context.refresh();
        }

        void shutDown() {
            if (killed) {
                return;
            }
            closing = true;
            end = schedule.world.time.now();
            if (schedule.mutant != Mutant.BEGINS_WHILE_CLOSING) {
                context.close();
            }
            schedule.at(Duration.ofSeconds(10), this::kill); // the scheduler still fires, and runs may end
        }

        void kill() {
            killed = true;
            end = end == null ? schedule.world.time.now() : end;
            time.become(NodeTime.State.CRASHED);
        }

        boolean livedUntil(Instant instant) {
            return end == null || end.isAfter(instant);
        }

        boolean fired(Instant slot) {
            return punctual.contains(slot);
        }

        Mono<Void> work() {
            return ReactiveLeaseContext.current()
                    .flatMap(lease ->
                            Mono.fromFuture(run(Instant.parse(lease.runName().orElseThrow()))));
        }

        private CompletableFuture<Void> run(Instant slot) {
            Run run = schedule.begin(this, slot);
            CompletableFuture<Void> done = new CompletableFuture<>();
            Duration length = schedule.mostlyShort((int) LONGEST_RUN.toMillis());
            time.schedule(length.toNanos(), () -> {
                if (!done.isDone()) {
                    run.ended = schedule.world.time.now();
                    run.recorded = !schedule.world.table.down;
                    done.complete(null);
                }
            });
            var unused = done.whenComplete((nothing, failure) -> run.cancelled = failure != null);
            return done;
        }

        /** Runs that begin later than their firing. */
        private void executeLate(Runnable task) {
            time.schedule(schedule.mostlyShort(2_000).toNanos(), task);
        }

        @Override
        public Clock getClock() {
            InstantSource source = () -> schedule.world.time.now().plus(skew);
            return source.withZone(ZoneOffset.UTC);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, Trigger noting) {
            Trigger trigger =
                    schedule.mutant == Mutant.NEAREST_TO_NOW ? new CronTrigger(Job.CRON, ZoneOffset.UTC) : noting;
            fireNext(task, trigger, new SimpleTriggerContext(getClock()));
            return new Never();
        }

        private void fireNext(Runnable task, Trigger trigger, SimpleTriggerContext last) {
            Instant scheduled = trigger.nextExecution(last);
            if (scheduled == null) {
                throw new IllegalStateException("The trigger has no next time");
            }
            Duration late = schedule.mostlyShort(150_000); // another job has the thread
            Instant begin = scheduled.plus(late);
            time.schedule(Duration.between(getClock().instant(), begin).toNanos(), () -> {
                Instant now = getClock().instant();
                if (late.toMillis() <= 300) {
                    punctual.add(scheduled);
                }
                task.run();
                last.update(scheduled, now, getClock().instant());
                fireNext(task, trigger, last);
            });
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
            time.schedule(Duration.between(getClock().instant(), startTime).toNanos(), task);
            return new Never();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
            throw new UnsupportedOperationException("Jobs of the simulation have a cron expression");
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
            throw new UnsupportedOperationException("Jobs of the simulation have a cron expression");
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
            throw new UnsupportedOperationException("Jobs of the simulation have a cron expression");
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
            throw new UnsupportedOperationException("Jobs of the simulation have a cron expression");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * Returns a manager that its context does not close, because a process may die while it closes. {@code late}: its time is
     * that of the slot before.
     */
    private static LeaseManager ofProcess(LeaseManager manager, boolean late) {
        return (LeaseManager) Proxy.newProxyInstance(
                FiringsSimulationTest.class.getClassLoader(),
                new Class<?>[] {LeaseManager.class, EngineTable.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("close")) {
                        return method.getReturnType() == void.class ? null : CompletableFuture.completedFuture(null);
                    }
                    try {
                        Object result = method.invoke(manager, arguments);
                        boolean isTime = method.getName().equals("time") && method.getParameterCount() == 0;
                        return late && isTime ? ((Instant) result).minus(PERIOD) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @EnableScheduling
    @Import(LeaseAutoConfiguration.class)
    static class Application {}

    static class Job {
        static final String CRON = "0 * * * * *";

        private final Node node;

        Job(Node node) {
            this.node = node;
        }

        @Scheduled(cron = CRON, zone = "UTC")
        @DistributedLease("job")
        public Mono<Void> run() {
            return node.work();
        }
    }

    static class SkippingJob {
        private final Node node;

        SkippingJob(Node node) {
            this.node = node;
        }

        @Scheduled(cron = Job.CRON, zone = "UTC")
        @DistributedLease(key = "job", onStoreFailure = OnStoreFailure.SKIP)
        public Mono<Void> run() {
            return node.work();
        }
    }

    /** The future of a task that is never cancelled. */
    private static final class Never extends CompletableFuture<Object> implements ScheduledFuture<Object> {
        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }
}
