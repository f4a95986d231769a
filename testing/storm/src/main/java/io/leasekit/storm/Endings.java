package io.leasekit.storm;

import java.util.ArrayList;
import java.util.List;

/**
 * An end is final: no lease is valid after its release began, after its loss was reported, or after its
 * {@code holdAtMost}. A process takes no sample between the record of a release and the call that begins it.
 */
final class Endings implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        for (Held lease : evidence.leases()) {
            check(lease, lease.releaseBegun(), "its release", violations);
            check(lease, lease.lost(), "its loss", violations);
            if (lease.limit() != Held.NEVER) {
                check(lease, lease.granted() + lease.limit(), "its limit", violations);
            }
        }
        return violations;
    }

    private static void check(Held lease, long end, String of, List<String> violations) {
        if (lease.lastValid() > end) {
            violations.add("%s of %s was valid at %d, after %s at %d"
                    .formatted(lease, lease.keys(), lease.lastValid(), of, end));
        }
    }
}
