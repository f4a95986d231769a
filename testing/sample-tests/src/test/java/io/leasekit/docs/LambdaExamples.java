package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.List;

/** The Java example of docs/operations.md, between a line {@code // <name>} and a line {@code // end}. */
final class LambdaExamples {

    /** The work of the example. */
    interface Lines {
        List<String> of(String file);

        void apply(String line);
    }

    private final LeaseManager leases;
    private final Lines lines;

    LambdaExamples(LeaseManager leases, Lines lines) {
        this.leases = leases;
        this.lines = lines;
    }

    // handler
    private static final Duration RESERVE = Duration.ofSeconds(3); // longer than a line takes

    boolean handle(String file, long remainingMillis) { // imports a file once, however often its event is delivered
        Duration ttl = Duration.ofMillis(remainingMillis).minus(RESERVE);
        LeaseRequest request = LeaseRequest.of("import").passive().ttl(ttl).once(file);
        return leases.tryCall(request, lease -> {
                    for (String line : lines.of(file)) {
                        lease.ensureValid(); // throws a LeaseLostException once the ttl has passed
                        lines.apply(line);
                    }
                    return true;
                })
                .orElse(false); // another invocation has the lease, or has imported the file
    }
    // end
}
