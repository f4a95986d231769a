package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A user's code: acquires, works for some time while it looks whether its lease is valid, releases, and begins again. */
final class SimBody {

    private static final long SECOND = LeaseRules.SECOND;

    private static final long TOGETHER = SECOND / 2;

    private final Simulation world;
    private final SimProcess process;
    private final RandomGenerator random;
    private @Nullable HeldLease lease;
    private boolean dead;
    private boolean fed;

    /** Until when, in true time, it was told at some moment that nobody else gets the lease. */
    private long promisedUntil = Long.MIN_VALUE;

    SimBody(Simulation world, SimProcess process) {
        this.world = world;
        this.process = process;
        this.random = world.random();
    }

    void acquire() {
        if (dead) {
            return;
        }
        CompletableFuture<Optional<Lease>> future = process.acquire(request());
        future.whenComplete((acquired, error) -> {
            if (error == null && acquired.isPresent()) {
                begin((HeldLease) acquired.get());
            } else {
                again(random.nextLong(world.isCrowded() ? SECOND / 5 : 3 * SECOND));
            }
        });
        if (!world.isHealing() && random.nextInt(12) == 0) {
            process.later(random.nextLong(4 * SECOND), () -> future.cancel(true));
        }
    }

    private LeaseRequest request() {
        LeaseRequest request = LeaseRequest.ofAll(world.randomKeys());
        if (world.isHealing()) {
            return request.waitFor(Duration.ofDays(1));
        }
        if (random.nextBoolean()) {
            request = request.waitFor(Duration.ofSeconds(random.nextLong(20)));
        }
        boolean mayHold = world.faults().removal() != SimFaults.Removal.AFTER_CRASHES;
        if (mayHold && random.nextInt(6) == 0) {
            request = request.holdAtLeast(Duration.ofSeconds(1 + random.nextLong(20)));
        }
        if (mayHold && random.nextInt(8) == 0) {
            request = request.cooldown(Duration.ofSeconds(1 + random.nextLong(10)));
        }
        if (random.nextInt(8) == 0) {
            request = request.holdAtMost(Duration.ofSeconds(1 + random.nextLong(10)));
        }
        return request;
    }

    /** Those who hold many leases acquire several at once. */
    private void again(long delay) {
        process.later(world.holdsMany() ? delay + TOGETHER - world.elapsed() % TOGETHER : delay, this::acquire);
    }

    private void begin(HeldLease acquired) {
        if (dead) {
            return;
        }
        lease = acquired;
        fed |= world.isHealing();
        promisedUntil = Long.MIN_VALUE;
        world.onGranted(this, acquired);
        acquired.lost().whenComplete((reason, never) -> world.onLost(this, acquired, reason));
        if (world.variant().releasesWhenLost()) {
            acquired.lost().whenComplete((reason, never) -> acquired.releaseAsync());
        }
        boolean isLong = !world.isHealing() && (world.holdsMany() || random.nextInt(3) == 0);
        boolean isCrowded = world.isCrowded() && !world.holdsMany();
        long shortly = isCrowded ? SECOND / 4 : 3 * SECOND;
        long work = random.nextLong(isLong && !isCrowded ? 60 * SECOND : shortly);
        process.later(work, this::end);
    }

    private void end() {
        HeldLease ending = lease;
        if (dead || ending == null) {
            return;
        }
        lease = null;
        world.onReleased(ending);
        ending.releaseAsync().thenRun(() -> {
            if (!dead) {
                world.onReleaseDone(this, ending);
            }
        });
        again(random.nextLong(world.isCrowded() ? SECOND / 20 : 2 * SECOND));
    }

    boolean isHungry() {
        return !fed;
    }

    void die() {
        dead = true;
        lease = null;
    }

    @Nullable
    HeldLease lease() {
        return lease;
    }

    SimProcess process() {
        return process;
    }

    /** Asks the lease, as the body would, and remembers what it was told. */
    boolean believes() {
        HeldLease held = lease;
        if (dead || held == null || !process.isRunning()) {
            return false;
        }
        long remaining = held.remaining().toNanos();
        if (remaining > 0) {
            promisedUntil = Math.max(promisedUntil, world.now() + (long) (process.trueNanos(remaining) * 0.998));
        }
        return remaining > 0;
    }

    /** Whether it was told that the lease lasts beyond now, and still works. */
    boolean wasPromised() {
        return !dead && lease != null && world.now() < promisedUntil;
    }

    @Override
    public String toString() {
        return process + " with " + lease;
    }
}
