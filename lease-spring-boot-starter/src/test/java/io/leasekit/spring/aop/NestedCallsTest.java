package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.LeaseHold;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

class NestedCallsTest {

    private final RecordingStore store = new RecordingStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final Jobs jobs = beans.advise(new Jobs());

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void aCallForTheSameKeyJoinsTheLeaseAndOnlyTheOuterOneReleases() {
        jobs.run(() -> {
            Lease outer = LeaseContext.current().lease();
            jobs.sameKey(() -> assertThat(LeaseContext.current().lease()).isSameAs(outer));
            assertThat(outer.isValid()).isTrue();
            assertThat(beans.isFree("job")).isFalse();
        });

        assertThat(beans.isFree("job")).isTrue();
    }

    @Test
    void aJoinedCallSendsNoRequest() {
        jobs.run(() -> jobs.sameKey(() -> {}));

        assertThat(store.requests).containsExactly("read job", "acquire job", "release job");
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
        jobs.run(() -> {
            Lease outer = LeaseContext.current().lease();
            beans.beanFactory.registerSingleton(
                    "elsewhere", LeasedBeans.manager(new InMemoryLeaseStore(), "elsewhere"));
            jobs.elsewhere(() -> assertThat(LeaseContext.current().lease()).isNotSameAs(outer));
        });
    }

    @Test
    void aJoinedStageKeepsTheLeaseBeyondTheOuterCall() {
        CompletableFuture<String> work = new CompletableFuture<>();

        jobs.run(() -> jobs.async(work));

        assertThat(beans.isFree("job")).isFalse();
        work.complete("done");
        Awaitility.await().until(() -> beans.isFree("job"));
    }

    @Test
    void aCallDoesNotJoinALeaseThatIsLost() {
        FakeLease lost = new FakeLease("job");
        LeaseFrame frame = LeaseFrame.enter(new LeaseHold(beans.own, lost, Lease::close), true);
        try {
            lost.lose(LeaseLossReason.EXPIRED);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> jobs.sameKey(NestedCallsTest::unreached));
        } finally {
            frame.exit();
        }
    }

    @Test
    void aNestedCallsUnavailableLeaseIsNotTakenForTheOuterOnes() {
        try (Lease held = beans.other.tryAcquire("other").orElseThrow()) {
            assertThatExceptionOfType(LeaseUnavailableException.class)
                    .isThrownBy(() -> jobs.skipping(() -> jobs.otherKey(NestedCallsTest::unreached)))
                    .satisfies(e -> assertThat(e.holder().orElseThrow().key()).isEqualTo(held.key()));
        }
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
