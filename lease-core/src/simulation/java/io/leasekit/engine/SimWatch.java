package io.leasekit.engine;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseWatch;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import java.util.HashMap;
import java.util.Map;

/**
 * Watches in one of five schedules, by which seed, so the others stay as they are. Each process watches a key. Watchers
 * of a process are shown states in the designed order, and none is shown a key as free while its holder relies on it.
 */
final class SimWatch {

    private static final int ONE_OF = 5;

    private final Simulation world;
    private final boolean any;
    private final Map<LeaseManager, State> shown = new HashMap<>();

    SimWatch(Simulation world, long seed) {
        this.world = world;
        this.any = Math.floorMod(seed, ONE_OF) == 0;
    }

    /** Watches a key as this manager, whose process has just started. */
    void begin(SimProcess process, LeaseManager manager) {
        if (any && world.permits() == 0) { // the key of a slot is not watched
            LeaseWatch unused = manager.watch(
                    world.randomKey(world.random("watch of " + process, process.incarnation())),
                    state -> onState(process, manager, state));
        }
    }

    private void onState(SimProcess process, LeaseManager manager, State state) {
        world.log(() -> process + " is shown " + state);
        if (state instanceof Unknown) {
            return;
        }
        State before = shown.put(manager, state);
        if (before != null && !isInOrder(before, state)) {
            world.fail("Watcher is shown " + state + " after " + before);
        }
        if (state instanceof Free free) {
            checkFree(free);
        }
    }

    private static boolean isInOrder(State before, State state) {
        return new FeatureRules().mayFollow(before, state);
    }

    /**
     * Checks that nobody relies on a lease that is shown as free. After a suspend, a holder may confirm an expired lease
     * between the look and this call.
     */
    private void checkFree(Free free) {
        if (world.faults().suspends() || world.faults().badDates()) {
            return;
        }
        for (SimBody body : world.bodies()) {
            HeldLease lease = body.lease();
            boolean isShown =
                    lease != null && lease.keys().contains(free.key()) && lease.fencingToken() <= free.fencingToken();
            if (isShown && !world.force().hasTouched(lease) && body.believes()) {
                world.fail("Watcher is shown " + free + " although " + body + " relies on it");
            }
        }
    }
}
