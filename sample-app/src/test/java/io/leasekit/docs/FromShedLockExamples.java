package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Optional;

/** The examples of docs/from-shedlock.md, between a line {@code // <name>} and a line {@code // end}. */
final class FromShedLockExamples {

    private final LeaseManager leases;

    FromShedLockExamples(LeaseManager leases) {
        this.leases = leases;
    }

    Optional<Integer> executeWithLock() {
        // executor
        LeaseRequest request = LeaseRequest.of("import").holdAtLeast(Duration.ofSeconds(30));
        Optional<Integer> imported = leases.tryCall(request, lease -> importFiles()); // empty if unavailable
        // end
        return imported;
    }

    private static int importFiles() {
        return 7;
    }
}
