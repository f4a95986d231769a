package io.leasekit;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who releases keys by force, now and then: only where there are several, so that a lease may lose one of its keys while
 * the others are still its own. The end stays as it was, so the holder may believe in it until then, and others may not take it.
 */
final class SimForce {

    private final Simulation world;
    private final Map<String, LeaseItem> forced = new HashMap<>();

    SimForce(Simulation world) {
        this.world = world;
    }

    void release(String key) {
        LeaseItem item = world.item(key);
        UUID holder = item == null ? null : tenure(item);
        if (item == null || holder == null || holder.equals(Tenure.NOBODY) || item.releasedAtMillis() != null) {
            return;
        }
        String version = Revocation.version(item.token() == null ? 0 : item.token());
        world.log(() -> "release of " + key + " by force: " + item);
        forced.put(key, item);
        world.table()
                .put(new LeaseItem(
                        key,
                        version,
                        item.expiry(),
                        item.durationMillis(),
                        item.token(),
                        item.owner(),
                        item.acquiredAtMillis(),
                        null,
                        item.waitingSinceMillis()));
    }

    /** Whether this key was taken from the lease by force, before an end that lies not before this time. */
    boolean covers(HeldLease lease, String key, long end) {
        LeaseItem item = forced.get(key);
        return item != null
                && lease.tenure().equals(tenure(item))
                && item.expiry() != null
                && item.expiry() * LeaseRules.SECOND >= end;
    }

    /** Whether a key was taken from the lease by force. */
    boolean hasTouched(HeldLease lease) {
        return forced.values().stream().anyMatch(item -> lease.tenure().equals(tenure(item)));
    }

    private static @Nullable UUID tenure(LeaseItem item) {
        return item.version() == null ? null : Tenure.tenureOf(item.version());
    }
}
