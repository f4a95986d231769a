package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseInMemoryAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The statements of docs/testing.md beside its examples, which are tests themselves. */
class TestingExamplesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LeaseAutoConfiguration.class, LeaseInMemoryAutoConfiguration.class))
            .withBean(Job.class);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leasesInMemoryExcludeOtherManagersOfTheStore(boolean byProperty) {
        ApplicationContextRunner inMemory = byProperty
                ? runner.withPropertyValues("lease.store=in-memory")
                : runner.withBean(InMemoryLeaseStore.class);
        inMemory.run(context -> {
            Job job = context.getBean(Job.class);
            try (LeaseManager otherNode = LeaseManager.builder(context.getBean(InMemoryLeaseStore.class))
                            .owner("other-node")
                            .build();
                    Lease held = otherNode.acquire(LeaseRequest.of("job"))) {
                assertThatThrownBy(() -> job.run(null))
                        .isInstanceOf(LeaseUnavailableException.class)
                        .hasMessageContaining("other-node");
                assertThatThrownBy(held::conditionCheck).isInstanceOf(UnsupportedOperationException.class);
            }

            assertThat(job.run(null)).isTrue();
        });
    }

    @Test
    void switchedOffLeasesExcludeThisProcessOnly() {
        runner.withPropertyValues("lease.enabled=false").run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            assertThat(leases.tryAcquire("key")).isPresent();
            assertThat(leases.tryAcquire("key")).isEmpty();
            assertThat(context.getBean(Job.class).run(null)).isTrue();
        });
    }

    static class Job {

        /** Returns whether the call has a lease. */
        @DistributedLease("job")
        public Boolean run(@Nullable Lease lease) {
            return lease != null;
        }
    }
}
