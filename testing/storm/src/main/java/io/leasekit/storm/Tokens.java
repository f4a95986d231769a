package io.leasekit.storm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tokens grow: a lease whose acquire was called after another one was granted has the larger token, and no two leases of a
 * key have the same. At the end, the item has no smaller token than any lease had.
 */
final class Tokens implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        evidence.leasesByKey().forEach((key, leases) -> {
            checkDistinct(key, leases, violations);
            checkOrder(key, leases, violations);
            checkItem(key, leases, evidence.items().get(key), violations);
        });
        return violations;
    }

    private static void checkDistinct(String key, List<Held> leases, List<String> violations) {
        Map<Long, Held> byToken = new HashMap<>();
        for (Held lease : leases) {
            Held other = byToken.put(lease.token(), lease);
            if (other != null) {
                violations.add("'%s' has one token for two leases: %s and %s".formatted(key, other, lease));
            }
        }
    }

    private static void checkOrder(String key, List<Held> leases, List<String> violations) {
        GrantOrder order = new GrantOrder(leases);
        for (Held lease : leases) {
            long before = order.largestBefore(lease.asked());
            if (lease.token() <= before) {
                violations.add("'%s' was granted with token %d before %s was asked for".formatted(key, before, lease));
            }
        }
    }

    private static void checkItem(
            String key, List<Held> leases, Evidence.@Nullable Item item, List<String> violations) {
        long largest = leases.stream().mapToLong(Held::token).max().orElse(0);
        if (item != null && item.token() < largest) {
            violations.add("Item '%s' ends with token %d, but %d was granted".formatted(key, item.token(), largest));
        }
    }
}
