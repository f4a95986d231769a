package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReleaseInBackgroundTest {

    private final RecordingStore store = new RecordingStore();
    private final LeasedBeans beans = new LeasedBeans(store, new DistributedLeaseSettings("", true));
    private final LeasedBeans foreground = new LeasedBeans(store);
    private final Jobs jobs = beans.advise(new Jobs(store));

    @AfterEach
    void close() {
        beans.close();
        foreground.close();
    }

    @Test
    void aCallReturnsWhileItsReleaseIsNotAnswered() {
        CompletableFuture<Void> releases = store.stopReleases();

        long begun = System.nanoTime();
        assertThat(jobs.run()).isEqualTo("result");

        // a call that waited for its release would take as long as the request timeout
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
        assertThat(beans.isFree("job")).isFalse();
        releases.complete(null);
        assertThat(beans.isFree("job")).isTrue();
    }

    @Test
    void whereReleasesAreNotInTheBackgroundTheCallWaitsForTheAnswer() {
        CompletableFuture<Void> releases = store.stopReleases();
        Jobs waiting = foreground.advise(new Jobs(store));
        CompletableFuture<String> call = CompletableFuture.supplyAsync(waiting::run);
        await().until(() -> store.requests.contains("release job"));
        assertThat(call).isNotDone();

        releases.complete(null);

        assertThat(call).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void aCallIsOneRequestThatItsCallerWaitsForAndOneThatItDoesNot() {
        jobs.run(); // the first request of a process reads the clock
        Awaitility.await().until(() -> store.requests.contains("release job"));
        store.requests.clear();
        CompletableFuture<Void> releases = store.stopReleases();

        jobs.run();

        Awaitility.await()
                .untilAsserted(() -> assertThat(store.requests).containsExactly("acquire job", "release job"));
        releases.complete(null);
    }

    @Test
    void closingTheManagerWaitsForReleasesUnderWay() throws Exception {
        CompletableFuture<Void> releases = store.stopReleases();
        jobs.run();
        CompletableFuture<Void> closed = beans.own.closeAsync().toCompletableFuture();
        assertThat(closed).isNotDone();

        releases.complete(null);

        closed.get(30, TimeUnit.SECONDS);
        assertThat(beans.isFree("job")).isTrue();
    }

    @Test
    void aMethodsOwnTtlIsRenewedAtAThirdOfItThoughTheManagersHeartbeatIsLonger() throws Exception {
        jobs.shortTtl(); // ttl 2 s: without a renewal, the lease would be lost and the call would throw

        assertThat(store.renewed.getCount()).isZero();
    }

    static class Jobs {

        private final RecordingStore store;

        Jobs(RecordingStore store) {
            this.store = store;
        }

        @DistributedLease("job")
        public String run() {
            return "result";
        }

        @DistributedLease(key = "short", ttl = "2s")
        public void shortTtl() throws InterruptedException {
            assertThat(store.renewed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(LeaseContext.current().remaining()).isPositive();
        }
    }
}
