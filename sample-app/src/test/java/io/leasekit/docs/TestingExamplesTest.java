package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The examples of docs/testing.md do what the page says. */
class TestingExamplesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(Job.class);

    @Test
    void anotherNodeKeepsACallOut() {
        runner.withBean(InMemoryLeaseStore.class).run(context -> {
            Job job = context.getBean(Job.class);
            TestingExamples.whileAnotherNodeHoldsIt(
                    context.getBean(InMemoryLeaseStore.class),
                    "job",
                    () -> assertThatThrownBy(() -> job.run(null))
                            .isInstanceOf(LeaseUnavailableException.class)
                            .hasMessageContaining("other-node"));

            assertThat(job.run(null)).isTrue();
        });
    }

    @Test
    void aLeaseThatIsTakenAwayIsLostByItsNextRenewal() {
        try (LeaseManager leases = LeaseManager.builder(new InMemoryLeaseStore())
                        .ttl(Duration.ofSeconds(2))
                        .heartbeatInterval(Duration.ofMillis(100))
                        .build();
                Lease lease = leases.acquire(LeaseRequest.of("job"))) {
            TestingExamples.loseTheLease(leases, "job");

            assertThat(lease.lost()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(LeaseLossReason.REVOKED);
        }
    }

    @Test
    void switchedOffEveryLeaseIsGranted() {
        runner.withPropertyValues("lease.enabled=false").run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            assertThat(leases.tryAcquire("key")).isPresent();
            assertThat(leases.tryAcquire("key")).isPresent();
            assertThat(context.getBean(Job.class).run(null)).isTrue();
        });
    }

    @Test
    void withoutSpring() {
        boolean[] created = new boolean[1];
        TestingExamples.withoutSpring(() -> created[0] = true);

        assertThat(created).containsExactly(true);
    }

    static class Job {

        /** Returns whether the call has a lease. */
        @DistributedLease("job")
        public Boolean run(@Nullable Lease lease) {
            return lease != null;
        }
    }
}
