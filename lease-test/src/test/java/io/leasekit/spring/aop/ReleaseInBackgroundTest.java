package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Calls whose release takes as long as the replies of the table. */
@Timeout(600)
@SpringBootTest(
        classes = {ReleaseInBackgroundTest.Jobs.class, Requests.class},
        properties = "lease.release-in-background=true")
@AutoConfigureTestLeases
class ReleaseInBackgroundTest {

    private static final Duration REPLY = Duration.ofMillis(500);

    @Autowired
    private TestLeases leases;

    @Autowired
    private LeaseManager manager;

    @Autowired
    private Jobs jobs;

    @Autowired
    private Requests requests;

    @BeforeEach
    void readTheClock() {
        manager.find("job"); // the first request of a process
        requests.sent.clear();
        leases.latency(REPLY);
    }

    @Test
    void aCallReturnsWhileItsReleaseIsNotAnswered() {
        Instant begun = leases.now();

        assertThat(jobs.run()).isEqualTo("result");

        assertThat(leases.now()).as("only the acquire was waited for").isEqualTo(begun.plus(REPLY));
        assertThat(leases).isHeldBy("job", TestLeases.OWN);
        leases.advance(REPLY);
        assertThat(leases).isFree("job");
    }

    @Test
    void aCallIsOneRequestThatItsCallerWaitsForAndOneThatItDoesNot() {
        jobs.run();

        assertThat(requests.sent).containsExactly(Operation.ACQUIRE);
        leases.advance(REPLY);
        assertThat(requests.sent).containsExactly(Operation.ACQUIRE, Operation.RELEASE);
    }

    @Test
    void closingTheManagerWaitsForReleasesUnderWay() {
        jobs.run();
        CompletableFuture<Void> closed = manager.closeAsync().toCompletableFuture();
        assertThat(closed).isNotDone();

        leases.advance(REPLY);

        assertThat(closed).isCompleted();
        assertThat(leases).isFree("job");
    }

    @Test
    void aMethodsOwnTtlIsRenewedAtAThirdOfItThoughTheManagersHeartbeatIsLonger() {
        jobs.shortTtl(
                () -> { // ttl 2 s: without a renewal, the lease would be lost and the call would throw
                    requests.sent.clear();
                    leases.advance(Duration.ofSeconds(10));
                    assertThat(LeaseContext.current().remaining()).isPositive();
                });

        assertThat(requests.sent).filteredOn(Operation.RENEW::equals).hasSizeBetween(15, 20);
    }

    static class Jobs {

        @DistributedLease("job")
        public String run() {
            return "result";
        }

        @DistributedLease(key = "short", ttl = "2s")
        public void shortTtl(Runnable body) {
            body.run();
        }
    }
}
