package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Passive leases, and bodies that extend leases, in some of the schedules. It draws from a generator of its own, so the
 * other schedules stay as they are.
 */
final class SimExtensions {

    /** The longest extension, well above the longest ttl. */
    static final long LONGEST = 30 * EngineTime.SECOND;

    private static final Duration PASSIVE_TTL = Duration.ofNanos(Simulation.SHORTEST_TTL);
    private static final Duration ENDLESS = Duration.ofDays(10_000);

    private final Simulation world;
    private final SplittableRandom random;
    private final boolean any;
    private final Map<HeldLease, Long> promisedUntil = new HashMap<>();
    private final Map<SimBody, CompletableFuture<Void>> unconfirmed = new HashMap<>();

    SimExtensions(Simulation world, long seed) {
        this.world = world;
        this.random = new SplittableRandom(~seed);
        this.any = random.nextInt(4) == 0;
    }

    /** Whether leases of this schedule may be extended. */
    boolean any() {
        return any;
    }

    /** Returns the request, or sometimes that of a passive lease. */
    LeaseRequest drawn(LeaseRequest request) {
        boolean isPassive = any && !world.isHealing() && random.nextInt(4) == 0;
        return isPassive ? request.passive().ttl(PASSIVE_TTL) : request;
    }

    /** Returns how long a lease of this request is valid at most unless it is extended. */
    static Duration mostValid(LeaseRequest request) {
        Duration limit = request.holdAtMost();
        Duration most = limit == null ? ENDLESS : limit;
        return request.isPassive() && PASSIVE_TTL.compareTo(most) < 0 ? PASSIVE_TTL : most;
    }

    /** Lets the body extend its lease sometimes. */
    void begun(SimBody body, HeldLease lease, LeaseRequest request) {
        if (any && request.holdAtMost() == null && random.nextInt(2) == 0) {
            body.process().later(random.nextLong(12 * EngineTime.SECOND), () -> extend(body, lease));
        }
    }

    private void extend(SimBody body, HeldLease lease) {
        if (body.lease() != lease || world.isHealing()) {
            return;
        }
        long nanos = 1 + random.nextLong(LONGEST);
        long begun = world.now();
        body.mayLastUntil(begun + (long) (nanos * 1.002));
        world.log(() -> body.process() + " extends " + lease.keys() + " by " + Duration.ofNanos(nanos));
        CompletableFuture<Void> extended = lease.extended(Duration.ofNanos(nanos));
        body.mayLastUntil(world.now() + (long) (nanos * 1.002)); // the process may have paused within the call
        unconfirmed.put(body, extended);
        extended.thenRun(() -> promisedUntil.merge(lease, begun + (long) (nanos * 0.998), Math::max));
    }

    /** The monotonic clock of the body's process stops for this time, so an extension that is not confirmed ends later. */
    void suspended(SimBody body, long nanos) {
        CompletableFuture<Void> extended = unconfirmed.get(body);
        if (extended != null && !extended.isDone()) {
            body.mayLastUntil(body.endsBefore() + nanos);
        }
    }

    /** Returns whether an extension promised that the lease does not expire yet. */
    boolean isPromised(HeldLease lease) {
        return world.now() < promisedUntil.getOrDefault(lease, 0L);
    }
}
