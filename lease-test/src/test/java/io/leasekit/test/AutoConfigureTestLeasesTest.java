package io.leasekit.test;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import reactor.core.publisher.Mono;

@Timeout(600)
@SpringBootTest(
        properties = {"lease.ttl=60s", "lease.table.name=unused"},
        webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLeases
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AutoConfigureTestLeasesTest {

    private static final Set<String> STORIES = new HashSet<>(); // of the repetitions of one test

    @Autowired
    private TestLeases leases;

    @Autowired
    private LeaseManager manager;

    @Autowired
    @Qualifier("second")
    private LeaseManager second;

    @Autowired
    private Jobs jobs;

    @Autowired
    private Work work;

    @Autowired
    private ObjectProvider<ScheduledTaskHolder> schedulers;

    @BeforeEach
    void clear() {
        work.done.clear();
        work.events.clear();
        work.inTheMiddle = () -> {};
    }

    @Test
    void aCallIsSkippedWhileAnotherNodeHoldsTheLease() {
        LeaseNode other = leases.node("other");
        other.hold("skipping");

        jobs.skipping();
        other.release("skipping");
        jobs.skipping();

        assertThat(work.done).containsExactly("skipping");
        assertThat(leases.calls()).skipped("skipping").ranOnce("skipping");
        assertThat(leases).released("skipping").isFree("skipping");
    }

    @Test
    void aWaitingCallMovesTheTime() {
        leases.node("other").hold("waiting");

        assertThatThrownBy(jobs::waiting).isInstanceOf(LeaseUnavailableException.class);

        assertThat(leases.calls()).waitedFor("waiting", ofSeconds(5));
    }

    @Test
    void aLeaseIsLostInTheMiddle() {
        work.inTheMiddle = () -> leases.lose("skipping", LeaseLossReason.EXPIRED);

        assertThatThrownBy(jobs::skipping).isInstanceOf(LeaseLostException.class);

        assertThat(leases).lost("skipping", LeaseLossReason.EXPIRED);
    }

    @Test
    void aLossInterruptsTheMethod() {
        work.inTheMiddle = () -> {
            leases.lose("interrupted", LeaseLossReason.REVOKED);
            work.done.add("interrupted: " + Thread.currentThread().isInterrupted());
        };

        assertThatThrownBy(jobs::interrupted).isInstanceOf(LeaseLostException.class);

        assertThat(work.done).contains("interrupted: true");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anOutageIsTheCallersError() {
        leases.storeFails();
        assertThatThrownBy(jobs::skipping).isInstanceOf(LeaseStoreException.class);

        leases.storeRecovers();
        jobs.skipping();

        assertThat(leases.calls()).failed("skipping").ranOnce("skipping");
    }

    @Test
    void aSlotRunsOnce() {
        leases.fire(jobs, "nightly");
        leases.fire(jobs, "nightly");
        leases.advance(ofMinutes(60));
        leases.fire(jobs, "nightly");

        assertThat(work.done).containsExactly("2027-01-15T08:00:00Z", "2027-01-15T09:00:00Z");
        assertThat(leases.calls()).ran("nightly", 2).skipped("nightly");
    }

    @Test
    void aSlotThatAnotherNodeHasRunIsNotRunHere() {
        leases.node("other").ran("nightly", "2027-01-15T08:00:00Z");

        leases.fire(jobs, "nightly");

        assertThat(work.done).isEmpty();
        assertThat(leases.calls()).skipped("nightly");
    }

    @Test
    void aFiringOfSeveralExpressionsIsForTheNearestOfTheirTimes() {
        leases.fire(jobs, "twice"); // at 08:00
        leases.advance(Duration.ofMinutes(25));
        leases.fire(jobs, "twice");
        leases.fire(jobs, "twice");

        assertThat(work.done).containsExactly("2027-01-15T08:00:00Z", "2027-01-15T08:30:00Z");
    }

    @Test
    void aSlotOfAReactiveMethodRunsOnce() {
        leases.fire(jobs, "reactive");
        leases.fire(jobs, "reactive");

        assertThat(work.done).containsExactly("reactive");
        assertThat(leases.calls()).ranOnce("reactive").skipped("reactive");
    }

    @Test
    void aReactiveCallThatWaitsMovesTheTimeIfNobodyDoes() {
        leases.node("other").hold("patient");

        assertThatThrownBy(() -> jobs.patient().block()).isInstanceOf(LeaseUnavailableException.class);

        assertThat(leases.calls()).waitedFor("patient", ofSeconds(30));
    }

    @Test
    void aRunWhoseNodeCrashesIsTakenOver() {
        LeaseNode other = leases.node("other");
        other.hold(LeaseRequest.of("nightly").once("2027-01-15T08:00:00Z", OnceOrder.GROWING));
        leases.fire(jobs, "nightly");
        assertThat(work.done).isEmpty();

        other.crash();
        leases.advance(ofSeconds(75));

        assertThat(work.done).containsExactly("2027-01-15T08:00:00Z");
        assertThat(leases).released("nightly");
    }

    @Test
    void aScheduledJobGoesOnWhereACrashedNodeStopped() {
        LeaseNode other = leases.node("other");
        Lease held = other.hold(LeaseRequest.of("import").resumable());
        held.progress(ProgressCodec.text()).save("line 9000");
        other.crash();
        leases.advance(ofSeconds(75));

        leases.fire(jobs, "importing");
        leases.fire(jobs, "importing");

        assertThat(work.done).containsExactly("from line 9000", "from the start");
    }

    @Test
    void theRunOfASlotGoesOnWhereACrashedNodeStopped() {
        LeaseNode other = leases.node("other");
        Lease held = other.hold(LeaseRequest.of("import-hourly")
                .once("2027-01-15T08:00:00Z", OnceOrder.GROWING)
                .resumable());
        held.progress(ProgressCodec.text()).save("line 9000");
        leases.fire(jobs, "importingHourly");
        other.crash();
        leases.advance(ofSeconds(75));

        assertThat(work.done).containsExactly("from line 9000");
        leases.advance(ofMinutes(60));
        leases.fire(jobs, "importingHourly");
        assertThat(work.done).containsExactly("from line 9000", "from the start");
    }

    @Test
    void nothingFiresByItself() {
        leases.advance(ofMinutes(3));

        assertThat(schedulers.stream()).isEmpty();
        assertThat(work.done).isEmpty();
    }

    @Test
    void eventsArriveOnTheThreadOfTheTest() {
        jobs.skipping();

        assertThat(work.events)
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Acquired", "Released");
    }

    @Test
    void otherManagersShareTableAndTime() {
        Lease lease = second.acquire(LeaseRequest.of("key"));

        assertThat(manager.tryAcquire("key")).isEmpty();
        assertThat(lease.remaining()).isLessThanOrEqualTo(ofSeconds(30));
        assertThat(leases).holds("key");
        assertThat(manager.time())
                .isBetween(leases.now().minusSeconds(2), leases.now().plusSeconds(2));
    }

    @Test
    @Order(1)
    void aTestLeavesSomethingBehind() {
        leases.node("other").hold("skipping");
        leases.node("other").hold(LeaseRequest.of("nightly").once("2027-01-15T08:00:00Z", OnceOrder.GROWING));
        leases.fire(jobs, "nightly"); // waits for the end of the run
        manager.acquire(LeaseRequest.of("left"));
        leases.advance(ofMinutes(10));
        leases.storeFails();
    }

    @Test
    @Order(2)
    void theNextTestBeginsAnew() {
        assertThat(leases.now()).isEqualTo(Instant.parse("2027-01-15T08:00:00Z"));
        jobs.skipping();
        assertThat(manager.tryAcquire("left")).isPresent();
        assertThat(leases.calls()).ranOnce("skipping").ranOnce("left");
    }

    @RepeatedTest(3)
    void aTestRepeatsItsStory() {
        LeaseNode other = leases.node("other");
        leases.latency(ofMillis(70));
        leases.loseReplies(1);
        other.hold("waiting");
        assertThatThrownBy(jobs::waiting).isInstanceOf(LeaseUnavailableException.class);
        other.crash();
        leases.fire(jobs, "nightly");
        leases.advance(ofSeconds(90));
        jobs.waiting();
        work.inTheMiddle = () -> leases.lose("skipping", LeaseLossReason.TAKEN);
        assertThatThrownBy(jobs::skipping).isInstanceOf(LeaseLostException.class);

        STORIES.add(leases.toString());

        assertThat(STORIES).hasSize(1);
    }

    @Test
    void aJobThatWaitsForeverIsAnError() {
        leases.node("other").hold("unlimited");

        assertThatThrownBy(jobs::unlimited).isInstanceOf(LeaseInterruptedException.class);
    }

    @Test
    void anUnknownMethodDoesNotFire() {
        assertThatThrownBy(() -> leases.fire(jobs, "nigthly"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Class " + Jobs.class.getName() + " has no method 'nigthly' without parameters");
    }

    @Test
    void aMethodWithoutScheduledDoesNotFire() {
        assertThatThrownBy(() -> leases.fire(jobs, "skipping"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Method '" + Jobs.class.getName() + ".skipping' has no @Scheduled, expected a"
                        + " scheduled method; call other methods directly");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean(defaultCandidate = false)
        LeaseManager second(LeaseStore store, ObjectProvider<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder = LeaseManager.builder(store).ttl(ofSeconds(30));
            customizers.orderedStream().forEach(customizer -> customizer.customize("second", builder));
            return builder.build();
        }

        @Bean
        Jobs jobs(Work work) {
            return new Jobs(work);
        }
    }

    static class Work {
        final List<String> done = new ArrayList<>();
        final List<LeaseEvent> events = new ArrayList<>();
        Runnable inTheMiddle = () -> {};

        @EventListener
        void on(LeaseEvent event) {
            events.add(event);
        }
    }

    static class Jobs {

        private final Work work;

        Jobs(Work work) {
            this.work = work;
        }

        @DistributedLease(key = "skipping", onUnavailable = OnUnavailable.SKIP)
        public void skipping() {
            work.inTheMiddle.run();
            work.done.add("skipping");
        }

        @DistributedLease(key = "waiting", waitFor = "5s")
        public void waiting() {
            work.done.add("waiting");
        }

        @DistributedLease(key = "unlimited", waitFor = "unlimited")
        public void unlimited() {
            work.done.add("unlimited");
        }

        @DistributedLease(key = "interrupted", onLost = OnLost.INTERRUPT)
        public void interrupted() {
            work.inTheMiddle.run();
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease(key = "nightly", onFailure = OnFailure.RETRY)
        void nightly() {
            work.done.add(LeaseContext.current().runName().orElseThrow());
        }

        @Scheduled(fixedDelay = 60_000)
        @DistributedLease(key = "import", resumable = true)
        void importing() {
            work.done.add("from " + progress().last().orElse("the start"));
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease(key = "import-hourly", resumable = true)
        void importingHourly() {
            work.done.add("from " + progress().last().orElse("the start"));
        }

        private static Progress<String> progress() {
            return LeaseContext.current().progress(ProgressCodec.text());
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @Scheduled(cron = "0 30 * * * *", zone = "UTC")
        @DistributedLease("twice")
        void twice() {
            work.done.add(LeaseContext.current().runName().orElseThrow());
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("reactive")
        Mono<Void> reactive() {
            return Mono.fromRunnable(() -> work.done.add("reactive"));
        }

        @DistributedLease(key = "patient", waitFor = "30s")
        public Mono<Void> patient() {
            return Mono.empty();
        }

        @Scheduled(fixedRate = 1)
        @DistributedLease(key = "often", holdAtLeast = "1ms")
        void often() {
            work.done.add("often");
        }
    }
}
