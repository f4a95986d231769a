package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.internal.Checks;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.tenure.Tenure;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The runs whose success their holders recorded. As long as such a lease would have been valid, nobody is granted its run
 * again, not even a body of the same process, whether or not the release has been applied. After that, the table decides.
 *
 * <p>A process of commit 3dc03aa may lose a run if the first request of the release fails: the next acquire of the same process
 * overtakes the release. So a run of the previous version counts once its release was applied.
 */
final class SimRuns {

    private record Run(
            String key, OnceOrder order, @Nullable String name) {

        /** Returns the key of the item that remembers the run. */
        String item() {
            return name == null ? key : key + Checks.RUN_MARK + name;
        }
    }

    private record Done(SimLease lease, String name, long until) {}

    private final Simulation world;
    private final Map<Run, Done> done = new HashMap<>();
    private final Map<UUID, Map.Entry<Run, Done>> released = new HashMap<>(); // by the previous version

    SimRuns(Simulation world) {
        this.world = world;
    }

    /** Runs in any order are remembered one by one, of growing ones the last. */
    private static Run run(LeaseRequest request, String name) {
        return new Run(request.key(), request.onceOrder(), request.onceOrder() == OnceOrder.ANY ? name : null);
    }

    /** Notes that the holder has recorded the success, of a lease that is valid up to this true time without a renewal. */
    void onSucceeded(SimBody body, SimLease lease, LeaseRequest request, long validUntil) {
        String name = request.once();
        if (name == null || validUntil <= world.now()) {
            return;
        }
        Done succeeded = new Done(lease, name, validUntil);
        if (body.process().isPrevious()) {
            released.put(lease.tenure(), Map.entry(run(request, name), succeeded));
        } else {
            done.put(run(request, name), succeeded);
        }
    }

    /** Notes that a release was applied. */
    void onApplied(ReleaseCommand command) {
        Map.Entry<Run, Done> run = released.get(Tenure.tenureOf(command.own().first()));
        if (run != null && command.run() != null) {
            done.put(run.getKey(), run.getValue());
        }
    }

    /**
     * Notes that item TTL has removed an item. It forgets a run with the item of a hold or of a crashed holder that came after
     * the run, as the documentation of {@link LeaseRequest#once(String, OnceOrder)} says.
     */
    void onRemoved(LeaseItem item) {
        if (item.version() != null) {
            done.keySet().removeIf(run -> run.item().equals(item.key()));
        }
    }

    void onGranted(SimBody body, SimLease lease, LeaseRequest request) {
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
