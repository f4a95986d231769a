package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseWait;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.MovableClock;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.schedule.ReactiveFirings;
import io.leasekit.spring.schedule.TestFiring;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/**
 * Nodes that fire the same job at given times of DynamoDB's clock. Each has its own beans and scheduler, which other
 * nodes of the test kit do not have.
 */
@Tag("boot3")
class OncePerSlotTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration SOON = Duration.ofMinutes(10);

    private final MovableClock clock = new MovableClock(NOON);
    private final InMemoryLeaseStore store = new InMemoryLeaseStore(clock);
    private final List<Node> nodes = new ArrayList<>();

    /** Starts a node at this time of DynamoDB's clock. */
    private Node node(Instant now) {
        clock.now = now;
        Node node = new Node();
        nodes.add(node);
        return node;
    }

    @AfterEach
    void closeTheNodes() {
        nodes.forEach(Node::close);
    }

    @Test
    void aShortJobRunsOnceThoughTheFirstNodeHasEndedWhenTheSecondFires() {
        node(NOON).fire("hourly");
        node(NOON.plusSeconds(30)).fire("hourly");
        node(NOON.minusSeconds(30)).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(1);
        assertThat(lastRun("hourly").name()).isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void theNextSlotRunsAgain() {
        node(NOON).fire("hourly");
        node(NOON.plus(Duration.ofMinutes(60))).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(2);
        assertThat(lastRun("hourly").name()).isEqualTo("2026-11-21T13:00:00Z");
    }

    @Test
    void aNodeWhoseClockIsOffByLessThanHalfADistanceNeitherRepeatsNorSkips() {
        node(NOON.minus(Duration.ofMinutes(29))).fire("hourly");
        node(NOON.plus(Duration.ofMinutes(29))).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(1);
        assertThat(lastRun("hourly").name()).isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void aNodeThatIsFurtherOffRepeatsNothing() {
        node(NOON).fire("hourly");
        node(NOON.plus(Duration.ofMinutes(31))).fire("hourly"); // early for one o'clock
        node(NOON.plus(Duration.ofMinutes(60))).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(2);
    }

    @Test
    void whatIsRecordedTellsOfTheRun() {
        node(NOON).fire("hourly");

        ItemRun run = lastRun("hourly");
        assertThat(run.owner()).isEqualTo("own");
        assertThat(run.outcome()).isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
        assertThat(run.begunAt()).isBetween(NOON.minusSeconds(2), NOON.plusSeconds(60));
        assertThat(run.duration()).isBetween(Duration.ZERO, SOON);
    }

    @Test
    void aCallThatIsNoFiringIsForNoSlot() {
        node(NOON).fire("hourly");
        Node node = node(NOON.plus(Duration.ofMinutes(45)));

        node.advised.hourly();

        assertThat(runs("hourly")).isEqualTo(2);
        assertThat(lastRun("hourly").name()).as("one o'clock is still open").isEqualTo("2026-11-21T12:00:00Z");
    }

    @Test
    void switchedOffEachNodeRunsIt() {
        node(NOON).fire("never");
        node(NOON).fire("never");

        assertThat(runs("never")).isEqualTo(2);
        assertThat(lastRun("never").name()).isNull();
        assertThat(lastRun("never").outcome()).isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
    }

    @Test
    void slotsLessThan10SecondsApartAreNotTold() {
        node(NOON).fire("often");
        node(NOON).fire("often");

        assertThat(runs("often")).isEqualTo(2);
    }

    @Test
    void aRunThatFailedIsDone() {
        Node first = node(NOON);
        first.jobs.failure = new IllegalStateException("own");

        assertThatThrownBy(() -> first.fire("hourly")).isSameAs(first.jobs.failure);
        node(NOON).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(1);
        assertThat(lastRun("hourly").outcome()).isEqualTo(LeaseRunOutcome.FAILED.name());
    }

    @Test
    void aRunThatIsToBeRetriedIsNotDone() {
        Node first = node(NOON);
        first.jobs.failure = new IllegalStateException("own");

        assertThatThrownBy(() -> first.fire("retried")).isSameAs(first.jobs.failure);
        node(NOON).fire("retried");

        assertThat(runs("retried")).isEqualTo(2);
        assertThat(lastRun("retried").outcome()).isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
    }

    @Test
    void aRunThatFailsWhileItsApplicationEndsIsNotDone() throws Exception {
        Node ending = node(NOON);
        ending.jobs.failure = new IllegalStateException("interrupted");
        CountDownLatch end = ending.jobs.block();
        CompletableFuture<Void> firing = CompletableFuture.runAsync(() -> ending.fire("hourly"));
        ending.jobs.awaitBegin();
        ending.beans.advisor.stopWaiting();
        end.countDown();
        assertThat(firing).failsWithin(SOON).withThrowableThat().withCause(ending.jobs.failure);

        node(NOON).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(2);
    }

    @Test
    void nothingBeginsWhileTheApplicationEndsAndAnotherNodeRunsIt() {
        Node ending = node(NOON);
        ending.beans.advisor.stopWaiting();

        ending.fire("hourly");
        ending.fire("never");
        assertThat(ending.jobs.ran).isEmpty();
        assertThat(store.item("hourly")).as("its lease").isEmpty();
        node(NOON).fire("hourly");

        assertThat(runs("hourly")).isEqualTo(1);
    }

    @Test
    void theMethodCanAskForItsSlot() {
        Node node = node(NOON);

        node.fire("hourly");
        node.fire("never");

        assertThat(node.jobs.slots).containsExactly("2026-11-21T12:00:00Z", "none");
    }

    @Test
    void aFiringRunsThoughTheWarningAboutAnotherExpressionCannotBeLogged() {
        Node here = node(NOON);
        try (Lease earlier = here.beans
                .other
                .tryAcquire(LeaseRequest.of("hourly").once("2026-11-21T11:30:00Z", OnceOrder.GROWING))
                .orElseThrow()) {
            earlier.recordRun(LeaseRunOutcome.SUCCEEDED);
        }

        try (BrokenLogger broken = new BrokenLogger()) {
            here.fire("hourly");
        }

        assertThat(runs("hourly")).isEqualTo(1);
        assertThat(here.beans.own.held()).isEmpty();
    }

    @Test
    void aFiringIsSkippedThoughTheWarningAboutALaterRunCannotBeLogged() {
        Node here = node(NOON);
        try (Lease later = here.beans
                .other
                .tryAcquire(LeaseRequest.of("hourly").once("2026-11-21T23:30:00Z", OnceOrder.GROWING))
                .orElseThrow()) {
            later.recordRun(LeaseRunOutcome.SUCCEEDED);
        }

        try (BrokenLogger broken = new BrokenLogger()) {
            assertThatCode(() -> here.fire("hourly")).doesNotThrowAnyException();
        }

        assertThat(runs("hourly")).isZero();
    }

    // ---- runs that have begun on another node

    @Test
    void aRunThatEndsWithoutSuccessElsewhereStartsHereThoughThatCannotBeLogged() {
        Node here = node(NOON);
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.fire("hourly");

        try (BrokenLogger broken = new BrokenLogger()) {
            elsewhere.close();

            Awaitility.await().atMost(SOON).until(() -> lastRunOrNull("hourly") != null);
        }
        assertThat(runs("hourly")).isEqualTo(1);
        Awaitility.await().atMost(SOON).until(() -> here.beans.own.held().isEmpty());
    }

    @Test
    void aRunWhoseSchedulerIsNotFoundIsGivenBack() {
        Node here = node(NOON);
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.fire("hourly");
        here.beans.beanFactory.destroySingleton("taskScheduler");
        here.beans.beanFactory.registerBeanDefinition("taskScheduler", new RootBeanDefinition(NoScheduler.class));

        elsewhere.close();

        here.beans.awaitFree("hourly");
        assertThat(runs("hourly")).isZero();
    }

    /** Cannot be created. */
    abstract static class NoScheduler implements TaskScheduler {}

    @Test
    void aRunThatEndsWithoutSuccessElsewhereStartsHereOnTheScheduler() {
        Node here = node(NOON);
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.fire("hourly");
        assertThat(runs("hourly")).isZero();

        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> lastRunOrNull("hourly") != null);
        assertThat(here.jobs.threads).singleElement().asString().startsWith("app-scheduler-");
        assertThat(here.jobs.leases).singleElement().isEqualTo("hourly");
        assertThat(lastRun("hourly").name()).isEqualTo("2026-11-21T12:00:00Z");
    }

    /** Such advice looks for the invocation of its thread, which is not that of the firing. */
    @Test
    void adviceInAspectJStyleIsCalledInALaterRunToo() {
        Node here = node(NOON);
        Jobs jobs = new Jobs();
        Jobs advised = advisedByAspects(here.beans, jobs);
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        TestFiring.of(advised, "hourly");

        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> lastRunOrNull("hourly") != null);
        assertThat(jobs.slots).containsExactly("2026-11-21T12:00:00Z");
        assertThat(lastRun("hourly").outcome()).isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
    }

    private static Jobs advisedByAspects(LeasedBeans beans, Jobs jobs) {
        beans.beanFactory.registerSingleton("distributedLeaseAdvisor", beans.advisor);
        beans.beanFactory.registerSingleton("logging", new Logging());
        AnnotationAwareAspectJAutoProxyCreator creator = new AnnotationAwareAspectJAutoProxyCreator();
        creator.setBeanFactory(beans.beanFactory);
        creator.setProxyTargetClass(true);
        beans.beanFactory.addBeanPostProcessor(creator);
        beans.beanFactory.addBeanPostProcessor(beans.scheduled);
        return (Jobs) beans.beanFactory.applyBeanPostProcessorsAfterInitialization(jobs, "jobs");
    }

    @Aspect
    public static class Logging {

        @Before("execution(* io.leasekit.spring.aop.OncePerSlotTest.Jobs.hourly())")
        public void log() {}
    }

    @Test
    void aRunThatFailsElsewhereStartsHereIfItIsToBeRetried() throws Exception {
        Node failing = node(NOON);
        failing.jobs.failure = new IllegalStateException("own");
        CountDownLatch end = failing.jobs.block();
        CompletableFuture<Void> firing = CompletableFuture.runAsync(() -> failing.fire("retried"));
        failing.jobs.awaitBegin();
        Node here = node(NOON);
        here.fire("retried");

        end.countDown();

        Awaitility.await().atMost(SOON).until(() -> here.jobs.runs("retried") == 1);
        assertThat(firing).completesExceptionallyWithin(SOON);
    }

    @Test
    void successElsewhereEndsTheWaiting() {
        Node here = node(NOON);
        Lease elsewhere = here.beans
                .other
                .tryAcquire(LeaseRequest.of("hourly").once("2026-11-21T12:00:00Z", OnceOrder.GROWING))
                .orElseThrow();
        here.fire("hourly");
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(here.beans.own.waiting())
                        .extracting(LeaseWait::key)
                        .containsExactly("hourly"));

        elsewhere.recordRun(LeaseRunOutcome.SUCCEEDED);
        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> here.beans.own.waiting().isEmpty());
        assertThat(runs("hourly")).isZero();
    }

    @Test
    void aCallByAnotherScheduledMethodTakesNoSlot() {
        Node here = node(NOON.minus(Duration.ofMinutes(20)));

        TestFiring.of(new Commands(here.advised), "poll");
        node(NOON).fire("hourly");

        assertThat(here.jobs.slots).containsExactly("none");
        assertThat(runs("hourly")).isEqualTo(2);
        assertThat(lastRun("hourly").name()).isEqualTo("2026-11-21T12:00:00Z");
    }

    static class Commands {

        private final Jobs jobs;

        Commands(Jobs jobs) {
            this.jobs = jobs;
        }

        @Scheduled(fixedDelay = 60_000)
        public void poll() {
            jobs.hourly();
        }
    }

    /** Between the scheduler and the call stands a lambda only: Spring has called the method once, and subscribes. */
    @Test
    void aCallByAReactiveJobTakesNoSlot() {
        Node here = node(NOON);

        ReactiveFirings.of(ReactiveFirings.proxy(new ReactiveCommands(here.advised)), "poll")
                .fire();

        assertThat(here.jobs.slots).containsExactly("none");
    }

    static class ReactiveCommands {

        private final Jobs jobs;

        ReactiveCommands() {
            this(null); // for the proxy
        }

        ReactiveCommands(Jobs jobs) {
            this.jobs = jobs;
        }

        @Scheduled(fixedDelay = 60_000)
        public Mono<Void> poll() {
            return Mono.fromRunnable(jobs::hourly);
        }
    }

    /** Shows a manager DynamoDB's time by two replies. */
    private static void sample(LeaseManager leases) {
        for (int replies = 0; replies < 2; replies++) {
            leases.find("sampled");
        }
    }

    @Test
    void theNewestSlotSupersedesOlderOnes() {
        Node here = node(NOON);
        Lease elsewhere = here.beans.other.tryAcquire("every-minute").orElseThrow();
        elsewhere.extend(Duration.ofHours(2)); // else the waiter may find it expired once the clock has moved
        here.fire("everyMinute");
        here.fire("everyMinute");
        Awaitility.await().atMost(SOON).until(() -> here.beans.own.waiting().size() == 1);

        clock.now = NOON.plusSeconds(3_600);
        sample(here.beans.own);
        here.fire("everyMinute");
        Awaitility.await().atMost(SOON).until(() -> here.beans.own.waiting().size() == 1);
        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> lastRunOrNull("every-minute") != null);
        assertThat(lastRun("every-minute").name()).isGreaterThan("2026-11-21T12:00:00Z");
        assertThat(runs("everyMinute")).isEqualTo(1);
    }

    @Test
    void theEndOfTheContextEndsTheWaiting() {
        Node here = node(NOON);
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.fire("hourly");

        here.beans.advisor.stopWaiting();
        elsewhere.close();

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> here.beans.own.waiting().isEmpty());
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .during(Duration.ofMillis(300))
                .until(() -> runs("hourly") == 0);
    }

    @Test
    void aRunThatNoThreadIsLeftForIsGivenBackAtTheEnd() throws Exception {
        Node here = node(NOON);
        CountDownLatch busy = new CountDownLatch(1);
        here.scheduler.execute(() -> awaitUninterrupted(busy)); // occupies the only thread
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.fire("hourly");
        elsewhere.close();
        Awaitility.await().atMost(SOON).until(() -> isHeldBy("own"));

        here.beans.advisor.stopWaiting();

        Awaitility.await()
                .atMost(SOON)
                .until(() ->
                        !here.beans.other.find("hourly").map(LeaseInfo::held).orElse(false));
        busy.countDown();
        assertThat(runs("hourly")).isZero();
    }

    private boolean isHeldBy(String owner) {
        return store.item("hourly")
                .filter(item -> item.version() != null && owner.equals(item.owner()))
                .isPresent();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long runs(String job) {
        return nodes.stream().mapToLong(node -> node.jobs.runs(job)).sum();
    }

    private ItemRun lastRun(String key) {
        ItemRun run = lastRunOrNull(key);
        assertThat(run).isNotNull();
        return run;
    }

    private ItemRun lastRunOrNull(String key) {
        return store.item(key).map(item -> ItemRun.of(item.records())).orElse(null);
    }

    private final class Node {
        private final LeasedBeans beans = new LeasedBeans(store);
        private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        private final Jobs jobs = new Jobs();
        private final Jobs advised = beans.advise(jobs);

        private Node() {
            scheduler.setThreadNamePrefix("app-scheduler-");
            scheduler.initialize();
            beans.beanFactory.registerSingleton("taskScheduler", scheduler);
        }

        private void fire(String job) {
            TestFiring.of(advised, job);
        }

        private void close() {
            beans.advisor.stopWaiting();
            scheduler.shutdown();
            beans.close();
        }
    }

    static class Jobs {

        final List<String> ran = Collections.synchronizedList(new ArrayList<>());
        final List<String> threads = Collections.synchronizedList(new ArrayList<>());
        final List<String> leases = Collections.synchronizedList(new ArrayList<>());
        final List<String> slots = Collections.synchronizedList(new ArrayList<>());
        volatile RuntimeException failure;
        private final CountDownLatch begun = new CountDownLatch(1);
        private volatile CountDownLatch end = new CountDownLatch(0);

        CountDownLatch block() {
            end = new CountDownLatch(1);
            return end;
        }

        void awaitBegin() throws InterruptedException {
            assertThat(begun.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        long runs(String job) {
            return List.copyOf(ran).stream().filter(job::equals).count();
        }

        private void run(String job) {
            threads.add(Thread.currentThread().getName());
            leases.add(LeaseContext.current().key());
            slots.add(LeaseContext.current().runName().orElse("none"));
            begun.countDown();
            awaitUninterrupted(end);
            ran.add(job);
            if (failure != null) {
                throw failure;
            }
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("hourly")
        public void hourly() {
            run("hourly");
        }

        @Scheduled(cron = "0 * * * * *", zone = "UTC")
        @DistributedLease("every-minute")
        public void everyMinute() {
            run("everyMinute");
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "retried", onFailure = OnFailure.RETRY)
        public void retried() {
            run("retried");
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "never", once = DistributedLease.NEVER)
        public void never() {
            run("never");
        }

        @Scheduled(cron = "*/5 * * * * *", zone = "UTC")
        @DistributedLease("often")
        public void often() {
            run("often");
        }
    }
}
