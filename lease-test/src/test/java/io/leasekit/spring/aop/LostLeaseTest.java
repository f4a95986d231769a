package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Calls whose lease is released by force. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = LostLeaseTest.Jobs.class)
@AutoConfigureTestLeases
class LostLeaseTest {

    @Autowired
    private TestLeases leases;

    @Autowired
    private Jobs jobs;

    @Test
    void theCallThrowsAfterTheMethodAndTheLossIsAWarningAtOnce(CapturedOutput output) {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> jobs.throwing(() -> {
                    lose("throwing");
                    assertThat(output).contains("WARN").contains("Lease 'throwing' was lost: REVOKED");
                }))
                .extracting(LeaseLostException::reason)
                .isEqualTo(LeaseLossReason.REVOKED);
    }

    @Test
    void aBlockedMethodIsInterruptedAndItsExceptionHasTheLossSuppressed() {
        Throwable failure = catchThrowable(() -> jobs.interrupted(() -> {
            lose("interrupted");
            new CountDownLatch(1).await();
        }));

        assertThat(failure).isInstanceOf(InterruptedException.class);
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptThatTheMethodDidNotNoticeDoesNotReachTheCaller() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> jobs.interrupted(() -> {
                    lose("interrupted");
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                }));

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anotherCallsThreadIsNotInterrupted() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> jobs.waiting(lost));

        var unused = catchThrowable(() -> jobs.interrupted(() -> {
            lose("interrupted");
            new CountDownLatch(1).await();
        }));
        lost.countDown();

        assertThat(other.get(10, TimeUnit.MINUTES)).isFalse();
    }

    @Test
    void notifyReturnsTheResult() {
        assertThat(jobs.notified(() -> lose("notified"))).isEqualTo("result");
    }

    @Test
    void aStageFailsThoughItsWorkSucceeded() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.async(work, () -> {
            lose("async");
            work.complete("done");
        });

        assertThat(result)
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableThat()
                .withCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLostLeaseIsReleasedAllTheSame() {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> jobs.throwing(() -> {
                    leases.lose("throwing", LeaseLossReason.HOLD_LIMIT);
                    assertThat(leases).doesNotHold("throwing").isHeldBy("throwing", TestLeases.OWN);
                }));

        assertThat(leases).isFree("throwing");
    }

    private void lose(String key) {
        leases.lose(key, LeaseLossReason.REVOKED);
    }

    interface Body {
        void run() throws Exception;
    }

    static class Jobs {

        @DistributedLease(key = "throwing", ttl = "2s", holdAtMost = "10m")
        public void throwing(Runnable body) {
            body.run();
        }

        @DistributedLease(key = "interrupted", ttl = "2s", onLost = OnLost.INTERRUPT)
        public void interrupted(Body body) throws Exception {
            body.run();
        }

        @DistributedLease(key = "waiting", ttl = "2s", onLost = OnLost.INTERRUPT)
        public boolean waiting(CountDownLatch until) {
            try {
                until.await();
                return Thread.currentThread().isInterrupted();
            } catch (InterruptedException e) {
                return true;
            }
        }

        @DistributedLease(key = "notified", ttl = "2s", onLost = OnLost.NOTIFY)
        public String notified(Runnable body) {
            body.run();
            return "result";
        }

        @DistributedLease(key = "async", ttl = "2s")
        public CompletableFuture<String> async(CompletableFuture<String> work, Runnable body) {
            body.run();
            return work;
        }
    }
}
