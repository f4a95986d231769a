package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** The Java examples of docs/testing.md, between a line {@code // <name>} and a line {@code // end}. */
final class TestingExamples {

    interface Report {
        void create();
    }

    private TestingExamples() {}

    // store
    @TestConfiguration(proxyBeanMethods = false)
    class LeasesInMemory {

        @Bean
        InMemoryLeaseStore leaseStore() {
            return new InMemoryLeaseStore();
        }
    }
    // end

    // contended
    static void whileAnotherNodeHoldsIt(InMemoryLeaseStore store, String key, Runnable test) {
        try (LeaseManager otherNode =
                        LeaseManager.builder(store).owner("other-node").build();
                Lease held = otherNode.acquire(LeaseRequest.of(key))) {
            test.run(); // a call for this key is skipped or throws LeaseUnavailableException
        }
    }
    // end

    // lost
    static void loseTheLease(LeaseManager leases, String key) {
        LeaseInfo held = leases.find(key).orElseThrow();
        leases.forceRelease(key, held.fencingToken());
    }
    // end

    static void withoutSpring(Report report) {
        // plain
        try (LeaseManager leases =
                LeaseManager.builder(new InMemoryLeaseStore()).build()) {
            leases.run("report", () -> report.create());
        }
        // end
    }
}
