package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.leasekit.store.LeaseStore;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

@Timeout(600)
@SpringBootTest(classes = {NestedCallsTest.Jobs.class, NestedCallsTest.Elsewhere.class, Requests.class})
@AutoConfigureTestLeases
class NestedCallsTest {

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {

        @Bean(defaultCandidate = false)
        LeaseManager elsewhere(LeaseStore store, List<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder = LeaseManager.builder(store);
            customizers.forEach(customizer -> customizer.customize("elsewhere", builder));
            return builder.build();
        }
    }

    @Autowired
    private TestLeases leases;

    @Autowired
    private LeaseManager manager;

    @Autowired
    private Jobs jobs;

    @Autowired
    private Requests requests;

    @BeforeEach
    void clear() {
        requests.sent.clear();
    }

    @Test
    void aCallForTheSameKeyJoinsTheLeaseAndOnlyTheOuterOneReleases() {
        jobs.run(() -> {
            Lease outer = LeaseContext.current().lease();
            jobs.sameKey(() -> assertThat(LeaseContext.current().lease()).isSameAs(outer));
            assertThat(outer.isValid()).isTrue();
            assertThat(leases).holds("job");
        });

        assertThat(leases).isFree("job");
    }

    @Test
    void aJoinedCallSendsNoRequest() {
        jobs.run(() -> jobs.sameKey(() -> {}));

        assertThat(requests.sent).containsExactly(Operation.READ, Operation.ACQUIRE, Operation.RELEASE);
    }

    @Test
    void aCallJoinsAcrossCallsForOtherKeys() {
        jobs.run(() -> jobs.otherKey(() ->
                jobs.sameKey(() -> assertThat(LeaseContext.current().key()).isEqualTo("job"))));
    }

    @Test
    void anotherThreadOfThisProcessDoesNotJoin() {
        jobs.run(() -> assertThatThrownBy(() -> CompletableFuture.runAsync(() -> jobs.run(NestedCallsTest::unreached))
                        .join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LeaseUnavailableException.class));
    }

    @Test
    void aScheduledMethodThatOverlapsItselfInThisProcessIsSkipped() {
        AtomicInteger runs = new AtomicInteger();
        jobs.setWork(() -> {
            runs.incrementAndGet();
            CompletableFuture.runAsync(jobs::scheduled).join();
        });

        jobs.scheduled();

        assertThat(runs).hasValue(1);
    }

    @Test
    void anotherManagersLeaseOfTheKeyIsNotJoined() {
        // a manager of the same table, so the call is refused instead
        jobs.run(() -> assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> jobs.elsewhere(NestedCallsTest::unreached)));
        jobs.elsewhere(() -> assertThat(LeaseContext.current().key()).isEqualTo("job"));
    }

    @Test
    void aJoinedStageKeepsTheLeaseBeyondTheOuterCall() {
        CompletableFuture<String> work = new CompletableFuture<>();

        jobs.run(() -> jobs.async(work));

        assertThat(leases).holds("job");
        work.complete("done");
        assertThat(leases).isFree("job");
    }

    @Test
    void aCallDoesNotJoinALeaseThatIsLost() {
        Lease lost = manager.acquire(LeaseRequest.of("job"));
        LeaseFrame frame = LeaseFrame.enter(new SharedLease(manager, lost, Lease::close), true);
        try {
            leases.lose("job", LeaseLossReason.EXPIRED);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> jobs.sameKey(NestedCallsTest::unreached));
        } finally {
            frame.exit();
        }
    }

    @Test
    void aNestedCallsUnavailableLeaseIsNotTakenForTheOuterOnes() {
        Lease held = leases.node("other").hold("other");

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> jobs.skipping(() -> jobs.otherKey(NestedCallsTest::unreached)))
                .satisfies(e -> assertThat(e.holder().orElseThrow().key()).isEqualTo(held.key()));
    }

    private static void unreached() {
        throw new AssertionError("The body ran");
    }

    static class Jobs {

        private Runnable work = () -> {};

        @DistributedLease("job")
        public void run(Runnable body) {
            body.run();
        }

        @DistributedLease("job")
        public void sameKey(Runnable body) {
            body.run();
        }

        @DistributedLease("other")
        public void otherKey(Runnable body) {
            body.run();
        }

        @DistributedLease(key = "skipping", onUnavailable = OnUnavailable.SKIP)
        public void skipping(Runnable body) {
            body.run();
        }

        @DistributedLease(key = "job", manager = "elsewhere")
        public void elsewhere(Runnable body) {
            body.run();
        }

        @DistributedLease("job")
        public CompletableFuture<String> async(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease("scheduled")
        @Scheduled(fixedRate = 1000)
        public void scheduled() {
            work.run();
        }

        public void setWork(Runnable value) {
            work = value;
        }
    }
}
