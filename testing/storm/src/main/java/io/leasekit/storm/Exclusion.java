package io.leasekit.storm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * At most one lease of a key is valid at any time: the proved validities of one key do not overlap. {@link Held} defines
 * what is proved.
 */
final class Exclusion implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        evidence.leasesByKey().forEach((key, leases) -> check(key, leases, violations));
        return violations;
    }

    private static void check(String key, List<Held> leases, List<String> violations) {
        List<Held> proved = leases.stream()
                .filter(lease -> lease.validFrom() <= lease.validUntil())
                .sorted(Comparator.comparing(Held::validFrom))
                .toList();
        Held longest = null;
        for (Held lease : proved) {
            if (longest != null && lease.validFrom() < longest.validUntil()) {
                violations.add("'%s' had two valid leases from %d to %d: %s and %s"
                        .formatted(
                                key,
                                lease.validFrom(),
                                Math.min(longest.validUntil(), lease.validUntil()),
                                longest,
                                lease));
            }
            longest = later(longest, lease);
        }
    }

    private static Held later(@Nullable Held one, Held other) {
        return one != null && one.validUntil() > other.validUntil() ? one : other;
    }
}
