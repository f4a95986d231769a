package io.leasekit.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The proved validities of some leases, by time. */
final class Validities {

    private final NavigableMap<Long, List<Held>> byBegin = new TreeMap<>();
    private long longest;

    Validities(List<Held> leases) {
        for (Held lease : leases) {
            if (lease.validFrom() <= lease.validUntil()) {
                byBegin.computeIfAbsent(lease.validFrom(), first -> new ArrayList<>())
                        .add(lease);
                longest = Math.max(longest, lease.validUntil() - lease.validFrom());
            }
        }
    }

    /** Returns the leases that were valid from the one time to the other, both included. */
    List<Held> covering(long from, long to) {
        return byBegin.subMap(from - longest, true, from, true).values().stream()
                .flatMap(List::stream)
                .filter(lease -> to < lease.validUntil())
                .toList();
    }
}
