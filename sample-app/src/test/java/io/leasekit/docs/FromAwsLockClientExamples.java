package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.util.Optional;

/** The Java example of docs/from-aws-lock-client.md, between a line {@code // <name>} and a line {@code // end}. */
final class FromAwsLockClientExamples {

    private final LeaseManager leases;

    FromAwsLockClientExamples(LeaseManager leases) {
        this.leases = leases;
    }

    void acquire() {
        // acquire
        Optional<Lease> acquired = leases.tryAcquire(LeaseRequest.of("Moe"));
        if (acquired.isPresent()) {
            try (Lease lease = acquired.get()) {
                work();
            }
        }
        // end
    }

    private void work() {}
}
