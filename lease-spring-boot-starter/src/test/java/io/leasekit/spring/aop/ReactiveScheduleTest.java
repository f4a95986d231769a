package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.spring.schedule.ReactiveFirings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Scheduled methods that return publishers. Spring calls them once, and subscribes at each firing. */
@Tag("boot3")
@Timeout(600)
class ReactiveScheduleTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration SOON = Duration.ofMinutes(10);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore(Clock.fixed(NOON, ZoneOffset.UTC));
    private final List<Node> nodes = new ArrayList<>();

    private Node node() {
        Node node = new Node();
        nodes.add(node);
        return node;
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    @Test
    void eachSubscriptionOfAFiringRunsItsSlotOnce() {
        Node one = node();
        Node other = node();

        one.hourly.fire();
        one.hourly.fire();
        other.hourly.fire();

        Awaitility.await().atMost(SOON).until(() -> lastRun() != null);
        assertThat(lastRun().name()).isEqualTo("2026-11-21T12:00:00Z");
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .during(Duration.ofMillis(300))
                .until(() -> runs() == 1);
        assertThat(nodes).flatMap(node -> node.jobs.runs).containsExactly("2026-11-21T12:00:00Z"); // of either node
    }

    @Test
    void aSubscriptionThatIsNoFiringBelongsToNoSlot() {
        Node one = node();

        one.advised.hourly().block(SOON);

        assertThat(one.jobs.runs).containsExactly("none");
    }

    @Test
    void aSubscriptionByAnotherJobTakesNoSlot() {
        Node one = node();

        ReactiveFirings.of(ReactiveFirings.proxy(new Commands(one.advised)), "poll")
                .fire();
        ReactiveFirings.of(ReactiveFirings.proxy(new Commands(one.advised)), "callAtOnce")
                .fire();

        Awaitility.await().atMost(SOON).until(() -> runs() == 2);
        assertThat(one.jobs.runs).containsExactly("none", "none");
    }

    @Test
    void aRunThatEndsWithoutSuccessElsewhereStartsHere() {
        Node here = node();
        Lease elsewhere = here.beans.other.tryAcquire("hourly").orElseThrow();
        here.hourly.fire();
        Awaitility.await().atMost(SOON).until(() -> !here.beans.own.waiting().isEmpty());
        assertThat(runs()).isZero();

        elsewhere.close();

        Awaitility.await().atMost(SOON).until(() -> lastRun() != null);
        assertThat(here.jobs.runs).containsExactly("2026-11-21T12:00:00Z");
    }

    @Test
    void aRunThatIsCancelledIsNotDone() {
        Node one = node();
        one.jobs.work = Mono.never();
        one.hourly.fire();
        Awaitility.await().atMost(SOON).until(() -> !one.beans.own.held().isEmpty());

        one.hourly.subscriptions().forEach(Disposable::dispose);
        Awaitility.await().atMost(SOON).until(() -> one.beans.own.held().isEmpty());

        Node other = node();
        other.hourly.fire();
        Awaitility.await().atMost(SOON).until(() -> lastRun() != null);
        assertThat(lastRun().outcome()).isEqualTo(LeaseRunOutcome.SUCCEEDED.name());
        assertThat(other.jobs.runs).hasSize(1);
    }

    private long runs() {
        return nodes.stream().mapToLong(node -> node.jobs.runs.size()).sum();
    }

    private ItemRun lastRun() {
        return store.item("hourly").map(item -> ItemRun.of(item.records())).orElse(null);
    }

    private final class Node {
        private final LeasedBeans beans = new LeasedBeans(store);
        private final Jobs jobs = new Jobs();
        private final Jobs advised = beans.advise(jobs);
        private final ReactiveFirings hourly = ReactiveFirings.of(advised, "hourly");

        private void close() {
            beans.advisor.stopWaiting();
            hourly.subscriptions().forEach(Disposable::dispose);
            beans.close();
        }
    }

    static class Commands {

        private final Jobs jobs;

        Commands() {
            this(null); // for the proxy
        }

        Commands(Jobs jobs) {
            this.jobs = jobs;
        }

        @Scheduled(fixedDelay = 60_000)
        public Mono<Void> poll() {
            return Mono.defer(jobs::hourly);
        }

        @Scheduled(fixedDelay = 60_000)
        public Mono<Void> callAtOnce() {
            return jobs.hourly();
        }
    }

    static class Jobs {

        final List<String> runs = new CopyOnWriteArrayList<>();
        volatile Mono<Void> work = Mono.delay(Duration.ofMillis(10)).then();

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("hourly")
        public Mono<Void> hourly() {
            return ReactiveLeaseContext.current()
                    .doOnNext(context -> runs.add(context.runName().orElse("none")))
                    .then(Mono.defer(() -> work));
        }
    }
}
