package io.leasekit.engine;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreRequest;
import io.leasekit.tenure.Tenure;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operator who sometimes releases keys by force. The requests use the network of a process, which loses, delays and
 * duplicates them. The expiry does not change: until then the holder may believe in its lease, and no other process
 * may take it.
 */
final class SimForce {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Simulation world;
    private final Map<String, LeaseItem> forced = new HashMap<>();
    private final Set<UUID> touched = new HashSet<>();

    SimForce(Simulation world) {
        this.world = world;
    }

    void release(String key, LeaseStore way) {
        LeaseItem item = world.item(key);
        if (item != null && item.version() != null && item.token() != null) {
            String version = Revocation.version(item.token());
            way.send(
                    new StoreRequest.Write(new RevokeCommand(key, item.token(), new RevokeCommand.Refuse(version))),
                    TIMEOUT);
        }
    }

    /** Records that a forced release was applied to this item. */
    void onApplied(LeaseItem item) {
        world.log(() -> "release by force of " + item);
        UUID tenure = tenure(item);
        if (tenure != null && !Tenure.NOBODY.equals(tenure)) {
            forced.put(item.key(), item);
            touched.add(tenure);
        }
    }

    /** Whether this key was taken from the lease by force and the expiry of the lease was not before this time. */
    boolean covers(HeldLease lease, String key, long end) {
        LeaseItem item = forced.get(key);
        return item != null
                && lease.tenure().equals(tenure(item))
                && item.expiry() != null
                && item.expiry() * EngineTime.SECOND >= end;
    }

    /** Whether a key was taken from the lease by force. */
    boolean hasTouched(HeldLease lease) {
        return touched.contains(lease.tenure());
    }

    private static @Nullable UUID tenure(LeaseItem item) {
        return item.version() == null ? null : Tenure.tenureOf(item.version());
    }
}
