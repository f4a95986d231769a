package io.leasekit.storm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Of a key with N permits, at most N leases are valid at any time, and each has a slot from 0 to N - 1. The proved validities
 * count, as {@link Held} defines them. The slots exclude each other by {@link Exclusion}, since each is an item of its own;
 * this rule counts the leases of the key whatever their slots are.
 */
final class Permits implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        Map<String, List<Held>> byKey = new TreeMap<>();
        for (Held lease : evidence.leases()) {
            if (lease.isPermit()) {
                checkSlot(lease, violations);
                byKey.computeIfAbsent(key(lease), first -> new ArrayList<>()).add(lease);
            }
        }
        byKey.forEach((key, leases) -> checkNumber(key, leases, violations));
        return violations;
    }

    private static String key(Held lease) {
        String item = lease.keys().get(0);
        return item.substring(0, item.lastIndexOf('#'));
    }

    private static void checkSlot(Held lease, List<String> violations) {
        if (lease.slot() < 0 || lease.slot() >= lease.permits()) {
            violations.add(
                    "%s of %s has slot %d of %d permits".formatted(lease, lease.keys(), lease.slot(), lease.permits()));
        }
    }

    private static void checkNumber(String key, List<Held> leases, List<String> violations) {
        List<Held> proved = leases.stream()
                .filter(lease -> lease.validFrom() <= lease.validUntil())
                .sorted(Comparator.comparing(Held::validFrom))
                .toList();
        List<Held> valid = new ArrayList<>();
        for (Held lease : proved) {
            valid.removeIf(earlier -> earlier.validUntil() <= lease.validFrom());
            valid.add(lease);
            if (valid.size() > lease.permits()) {
                violations.add("'%s' had %d valid leases of %d permits at %d: %s"
                        .formatted(key, valid.size(), lease.permits(), lease.validFrom(), valid));
            }
        }
    }
}
