package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import reactor.core.publisher.Mono;

/** Methods that return before their work has ended, and whose lease is released by force meanwhile. */
@Timeout(600)
@SpringBootTest(classes = LostAsyncCallsTest.Jobs.class)
@AutoConfigureTestLeases
class LostAsyncCallsTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    @Autowired
    private TestLeases leases;

    @Autowired
    private Jobs jobs;

    @Test
    void aLossFailsTheMonoInPlaceOfItsValue() {
        assertThatThrownBy(() -> jobs.lost(lossOf("lost")).block(SOON)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossCancelsTheWorkAtOnceIfItIsToInterrupt() {
        AtomicInteger cancels = new AtomicInteger();
        CompletableFuture<Void> begun = new CompletableFuture<>();

        Mono<String> call = jobs.interrupted(Mono.<String>never()
                        .doOnRequest(requested -> begun.complete(null))
                        .doOnCancel(cancels::incrementAndGet))
                .cache();
        call.subscribe(value -> {}, failure -> {});
        assertThat(begun).succeedsWithin(SOON);

        lossOf("interrupted").run();

        assertThatThrownBy(() -> call.block(SOON)).isInstanceOf(LeaseLostException.class);
        assertThat(cancels).hasValue(1);
    }

    @Test
    void aLossThatIsOnlyNotedLeavesTheValue() {
        assertThat(jobs.notified(lossOf("notified")).block(SOON)).isEqualTo("value");
    }

    @Test
    void aLossFailsTheFutureOrIsOnlyNoted() {
        assertThat(jobs.lostStage(lossOf("lost-stage")))
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseLostException.class);
        assertThat(jobs.notifiedStage(lossOf("notified-stage")))
                .succeedsWithin(SOON)
                .isEqualTo("value");
    }

    private Runnable lossOf(String key) {
        return () -> leases.lose(key, LeaseLossReason.REVOKED);
    }

    static class Jobs {

        private static Mono<String> losing(Runnable loss) {
            return ReactiveLeaseContext.current().flatMap(context -> {
                loss.run();
                return Mono.fromCompletionStage(context.lease().lost()).thenReturn("value");
            });
        }

        @DistributedLease("lost")
        public Mono<String> lost(Runnable loss) {
            return losing(loss);
        }

        @DistributedLease(key = "notified", onLost = OnLost.NOTIFY)
        public Mono<String> notified(Runnable loss) {
            return losing(loss);
        }

        @DistributedLease(key = "interrupted", onLost = OnLost.INTERRUPT)
        public Mono<String> interrupted(Mono<String> work) {
            return work;
        }

        private static CompletableFuture<String> losingStage(Runnable loss) {
            Lease lease = LeaseContext.current().lease();
            loss.run();
            return lease.lost().thenApply(reason -> "value").toCompletableFuture();
        }

        @DistributedLease("lost-stage")
        public CompletableFuture<String> lostStage(Runnable loss) {
            return losingStage(loss);
        }

        @DistributedLease(key = "notified-stage", onLost = OnLost.NOTIFY)
        public CompletableFuture<String> notifiedStage(Runnable loss) {
            return losingStage(loss);
        }
    }
}
