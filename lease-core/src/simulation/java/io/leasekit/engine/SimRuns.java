package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.limits.Checks;
import io.leasekit.records.KeptRecords;
import io.leasekit.store.LeaseItem;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs whose success their holders recorded. As long as such a lease would have been valid, nobody is granted its run
 * again, not even a body of the same process, whether or not the release has been applied. After that, the table decides.
 */
final class SimRuns {

    private record Run(
            String key, OnceOrder order, @Nullable String name) {

        /** Returns the key of the item that remembers the run. */
        String item() {
            return name == null ? key : key + Checks.RUN_MARK + name;
        }
    }

    private record Done(HeldLease lease, String name, long until) {}

    private final Simulation world;
    private final Map<Run, Done> done = new HashMap<>();

    SimRuns(Simulation world) {
        this.world = world;
    }

    /** Runs in any order are remembered one by one, of growing ones the last. */
    private static Run run(LeaseRequest request, String name) {
        return new Run(request.key(), request.onceOrder(), request.onceOrder() == OnceOrder.ANY ? name : null);
    }

    /** Notes that the holder has recorded the success, of a lease that is valid up to this true time without a renewal. */
    void onSucceeded(HeldLease lease, LeaseRequest request, long validUntil) {
        String name = request.once();
        if (name == null || validUntil <= world.now()) {
            return;
        }
        done.put(run(request, name), new Done(lease, name, validUntil));
    }

    /** Checks that item TTL has removed no records. */
    void onRemoved(LeaseItem item) {
        if (KeptRecords.isIn(item)) {
            world.fail("Item TTL has removed records: " + item);
        }
    }

    void onGranted(SimBody body, HeldLease lease, LeaseRequest request) {
        String name = request.once();
        Done last = name == null ? null : done.get(run(request, name));
        if (name == null || last == null || name.compareTo(last.name) > 0 || world.now() >= last.until) {
            return;
        }
        boolean mayBeForgotten = world.faults().crates()
                || world.faults().badDates()
                || world.force().hasTouched(last.lease);
        if (lease.isValid() && !mayBeForgotten) {
            world.fail("Run '" + name + "' of " + request.key() + " is granted to " + body.process() + " although "
                    + last.lease + " has done '" + last.name + "'");
        }
    }
}
