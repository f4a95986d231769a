package io.leasekit.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Nothing is lost without need or left behind. No lease is lost to others before the end that a sample promised. Each lease ends
 * released, lost, or with its process. At the end no item has a version, and the last process was granted each key that
 * a call had named. No caller failed in a way that the API does not name.
 */
final class NothingLost implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        evidence.unexpected().forEach(error -> violations.add("Unexpected error of " + error));
        for (Held lease : evidence.leases()) {
            if (lease.wasTakenEarly()) {
                violations.add("%s of %s was lost at %d, but was promised until %d"
                        .formatted(lease, lease.keys(), lease.lost(), lease.validUntil()));
            }
            if (!lease.hasEnded() && evidence.ended().contains(lease.process())) {
                violations.add("%s of %s was neither released nor lost".formatted(lease, lease.keys()));
            }
        }
        Set<String> grantedLast = evidence.leases().stream()
                .filter(lease -> lease.process().equals(Scene.LAST))
                .flatMap(lease -> lease.keys().stream())
                .collect(Collectors.toSet());
        for (String key : new TreeSet<>(evidence.keys())) {
            if (!grantedLast.contains(key)) {
                violations.add("'%s' was not granted to the last process".formatted(key));
            }
            Evidence.Item item = evidence.items().get(key);
            if (item != null && !item.free()) {
                violations.add("Item '%s' is not free at the end".formatted(key));
            }
        }
        return violations;
    }
}
