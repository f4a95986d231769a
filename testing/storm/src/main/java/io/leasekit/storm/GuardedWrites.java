package io.leasekit.storm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes that a lease's {@code conditionCheck()} guards. The referee's log is their order in the table. In this order, tokens
 * never get smaller, and each is that of a granted lease. None was sent after the release of its lease was surely applied, or
 * after a lease with a larger token was granted. Each accepted write is in the log. And the check of a lease refuses no write
 * that began and ended within the lease's proved validity.
 */
final class GuardedWrites implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        Map<String, Map<Long, Held>> granted = byToken(evidence);
        Set<String> logged = new HashSet<>();
        evidence.log().forEach((key, entries) -> {
            checkLog(key, entries, granted.getOrDefault(key, Map.of()), violations);
            entries.forEach(entry -> logged.add(entry.id()));
        });
        Map<String, GrantOrder> orders = new HashMap<>();
        evidence.leasesByKey().forEach((key, leases) -> orders.put(key, new GrantOrder(leases)));
        for (GuardedWrite write : evidence.writes()) {
            Held lease = granted.getOrDefault(write.key(), Map.of()).get(write.token());
            GrantOrder order = orders.get(write.key());
            if (lease == null || order == null) {
                violations.add("Write %s has a token that was never granted".formatted(write.id()));
            } else if (logged.contains(write.id())) {
                checkApplied(write, lease, order, violations);
            } else {
                checkNotApplied(write, lease, violations);
            }
        }
        return violations;
    }

    private static Map<String, Map<Long, Held>> byToken(Evidence evidence) {
        Map<String, Map<Long, Held>> byToken = new HashMap<>();
        evidence.leases()
                .forEach(lease -> lease.keys()
                        .forEach(key -> byToken.computeIfAbsent(key, first -> new HashMap<>())
                                .put(lease.token(), lease)));
        return byToken;
    }

    private static void checkLog(
            String key, List<Evidence.Entry> entries, Map<Long, Held> granted, List<String> violations) {
        List<Evidence.Entry> inOrder = entries.stream()
                .sorted(Comparator.comparing(Evidence.Entry::position))
                .toList();
        long last = 0;
        for (int i = 0; i < inOrder.size(); i++) {
            Evidence.Entry entry = inOrder.get(i);
            if (entry.position() != i + 1) {
                violations.add(
                        "Log of '%s' has position %d where %d is expected".formatted(key, entry.position(), i + 1));
                return;
            }
            if (entry.token() < last) {
                violations.add("Log of '%s' has write %s of token %d after token %d"
                        .formatted(key, entry.id(), entry.token(), last));
            }
            if (!granted.containsKey(entry.token())) {
                violations.add("Log of '%s' has write %s of token %d, which was never granted"
                        .formatted(key, entry.id(), entry.token()));
            }
            last = Math.max(last, entry.token());
        }
    }

    private static void checkApplied(GuardedWrite write, Held lease, GrantOrder order, List<String> violations) {
        if (write.from() > lease.surelyReleased()) {
            violations.add("Write %s of '%s' was applied although %s had been released before it was sent"
                    .formatted(write.id(), write.key(), lease));
        }
        long larger = order.largestBefore(write.from());
        if (larger > write.token()) {
            violations.add("Write %s of '%s' with token %d was applied although token %d was granted before it was sent"
                    .formatted(write.id(), write.key(), write.token(), larger));
        }
        if (write.outcome().equals(GuardedWrite.STALE)) {
            violations.add("Write %s of '%s' was applied although it was refused".formatted(write.id(), write.key()));
        }
    }

    private static void checkNotApplied(GuardedWrite write, Held lease, List<String> violations) {
        if (write.outcome().equals(GuardedWrite.ACCEPTED)) {
            violations.add("Write %s of '%s' was accepted, but is not in the log".formatted(write.id(), write.key()));
        }
        if (write.outcome().equals(GuardedWrite.STALE)
                && write.from() >= lease.validFrom()
                && write.to() <= lease.validUntil()) {
            violations.add("Write %s of '%s' was refused as stale although %s was valid"
                    .formatted(write.id(), write.key(), lease));
        }
    }
}
