package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.kernel.LeaseSpec;
import io.leasekit.store.LeaseItem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The promises about the permits of one key (protocol 6.6), checked at each step of a schedule. */
final class SimPermits {

    /** Longer than the timeout of a request, a backoff and a pause between looks. */
    private static final long IDLE = 10 * SECOND;

    /** After its expiry, a lease of a process that died is found expired within this time. */
    private static final long TAKEN_OVER = 8 * SECOND;

    /** Without faults, the schedule goes on for so long: otherwise it would end before somebody is idle for too long. */
    private static final long LONGER = 4 * IDLE;

    private final Simulation world;
    private final int permits;
    private final Map<String, Long> freeSince = new HashMap<>();
    private long healedAt;

    SimPermits(Simulation world, int permits) {
        this.world = world;
        this.permits = permits;
    }

    int number() {
        return permits;
    }

    List<String> slots() {
        return IntStream.range(0, permits)
                .mapToObj(slot -> LeaseSpec.slotKey("a", slot))
                .toList();
    }

    void onHealed() {
        healedAt = world.now();
    }

    /** Returns whether the schedule, without faults, has not yet gone on for long enough. */
    boolean goesOn() {
        return permits > 0 && world.now() - healedAt < LONGER;
    }

    void check(List<SimBody> bodies) {
        List<SimBody> valid = bodies.stream().filter(SimBody::believes).toList();
        if (valid.size() > permits) {
            throw new Simulation.Broken("More than " + permits + " hold the key: " + valid);
        }
        if (world.isHealing()) {
            slots().forEach(slot -> checkIdle(slot, bodies));
        }
    }

    /** Checks that nobody waits who could have had the slot, that of a process that died included. */
    private void checkIdle(String slot, List<SimBody> bodies) {
        if (!isFree(world.item(slot))) {
            freeSince.remove(slot);
            return;
        }
        long since = Math.max(healedAt, freeSince.computeIfAbsent(slot, free -> world.now()));
        for (SimBody body : bodies) {
            long waits = world.now() - Math.max(since, body.waitingSince());
            if (body.hasWait() && waits > IDLE) {
                throw new Simulation.Broken(body + " waits although " + slot + " is free: " + world.item(slot));
            }
        }
    }

    private boolean isFree(@Nullable LeaseItem item) {
        return item == null
                || item.version() == null
                || (item.expiry() != null && item.expiry() * SECOND + TAKEN_OVER < world.now());
    }
}
