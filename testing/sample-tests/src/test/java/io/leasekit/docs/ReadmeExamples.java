package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import java.time.Duration;
import java.util.Optional;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The Java examples of README.md, between a line {@code // <name>} and a line {@code // end}. */
final class ReadmeExamples {

    record Order(long id) {}

    // job
    @Component
    class Reports {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("nightly-report")
        void create() {
            // runs on one node
        }
    }
    // end

    static class Orders {

        // service
        @DistributedLease(key = "order-#{#order.id}", ttl = "30s", waitFor = "5s")
        public void ship(Order order) {
            // no other node ships this order now; a call that has waited for 5 s throws LeaseUnavailableException
        }
        // end
    }

    static class Imports {

        // inside
        @DistributedLease(key = "import", onLost = OnLost.INTERRUPT)
        public void importFiles() {
            while (importNextFile(LeaseContext.current().fencingToken())) {
                LeaseContext.current().ensureValid(); // throws LeaseLostException if the lease was lost
            }
        }
        // end
    }

    private final LeaseManager leases;

    ReadmeExamples(LeaseManager leases) {
        this.leases = leases;
    }

    void programmatic() {
        // manager
        leases.run("report", () -> createReport()); // throws LeaseUnavailableException if another owner holds the lease

        Optional<Lease> acquired = leases.tryAcquire(LeaseRequest.of("import").waitFor(Duration.ofSeconds(10)));
        if (acquired.isPresent()) {
            try (Lease lease = acquired.get()) {
                importNextFile(lease.fencingToken());
            }
        }
        // end
    }

    private void createReport() {}

    private static boolean importNextFile(long token) {
        return token < 0;
    }
}
