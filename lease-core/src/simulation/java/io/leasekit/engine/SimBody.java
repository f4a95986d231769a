package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** User code: acquires a lease, works for some time while it checks the validity, releases, and begins again. */
final class SimBody {

    private static final long SECOND = EngineTime.SECOND;

    private static final long TOGETHER = SECOND / 2; // many leases begin together
    private static final long ROUND = 4 * SECOND; // where requests are slow, they also end together

    private final Simulation world;
    private final SimProcess process;
    private final RandomGenerator random;
    private @Nullable HeldLease lease;
    private @Nullable LeaseRequest asked; // for the lease
    private long endsBefore; // the true time
    private boolean passive;
    private long cooldown;
    private boolean holdsAtLeast;
    private boolean dead;
    private boolean fed;
    private boolean waiting; // for any permit
    private long waitingSince; // the true time

    /** The true time up to which the lease has reported itself valid. */
    private long promisedUntil = Long.MIN_VALUE;

    SimBody(Simulation world, SimProcess process, int number) {
        this.world = world;
        this.process = process;
        this.random = world.random("body of " + process + " " + process.incarnation(), number);
    }

    void acquire() {
        if (dead) {
            return;
        }
        LeaseRequest request = world.progress().drawn(world.extensions().drawn(request()));
        CompletableFuture<Optional<Lease>> future = process.acquire(request);
        waiting = !request.waitFor().isZero() && request.permitsPerNode() == 0;
        waitingSince = world.now();
        future.whenComplete((acquired, error) -> {
            waiting = false;
            if (error == null && acquired.isPresent()) {
                begin((HeldLease) acquired.get(), request);
            } else {
                again(random.nextLong(world.isCrowded() ? SECOND / 5 : 3 * SECOND));
            }
        });
        if (!world.isHealing() && random.nextInt(12) == 0) {
            process.later(random.nextLong(4 * SECOND), () -> future.cancel(true));
        }
    }

    private LeaseRequest request() {
        LeaseRequest request = LeaseRequest.ofAll(world.randomKeys(random));
        if (world.permits() > 0) {
            request = request.permits(world.permits());
        }
        if (world.isHealing()) {
            return request.waitFor(Duration.ofDays(1));
        }
        if (random.nextBoolean()) {
            request = request.waitFor(Duration.ofSeconds(random.nextLong(20)));
        }
        if (world.permits() > 0) {
            return random.nextInt(4) == 0 ? request.permitsPerNode(1) : request;
        }
        if (world.recordsRuns() && random.nextInt(3) == 0) {
            OnceOrder order = random.nextInt(4) == 0 ? OnceOrder.ANY : OnceOrder.GROWING;
            return request.once(String.format("%06d", world.elapsed() / SECOND), order);
        }
        boolean mayHold = world.faults().removal() != SimFaults.Removal.AFTER_CRASHES;
        if (mayHold && random.nextInt(6) == 0) {
            request = request.holdAtLeast(Duration.ofSeconds(1 + random.nextLong(20)));
        }
        if (mayHold && random.nextInt(6) == 0) {
            boolean isShort = random.nextBoolean();
            request = request.cooldown(Duration.ofMillis(1 + random.nextLong(isShort ? 2_000 : 25_000)));
        }
        if (random.nextInt(8) == 0) {
            request = request.holdAtMost(Duration.ofSeconds(1 + random.nextLong(25)));
        }
        return request;
    }

    /** Begins again after a delay. A process that holds many leases acquires several at the same time. */
    private void again(long delay) {
        process.later(world.holdsMany() ? delay + until(0, TOGETHER) : delay, this::acquire);
    }

    /** Returns how long after this delay a time comes that is a multiple of this period. */
    private long until(long delay, long period) {
        return period - (world.elapsed() + delay) % period;
    }

    private void begin(HeldLease acquired, LeaseRequest request) {
        if (dead) {
            return;
        }
        lease = acquired;
        asked = request;
        cooldown = request.cooldown().toNanos();
        holdsAtLeast = !request.holdAtLeast().isZero();
        passive = request.isPassive();
        endsBefore = world.now() + (long) (SimExtensions.mostValid(request).toNanos() * 1.002);
        world.extensions().begun(this, acquired, request);
        fed |= world.isHealing();
        promisedUntil = Long.MIN_VALUE;
        world.onGranted(this, acquired);
        world.runs().onGranted(this, acquired, request);
        world.progress().onGranted(this, acquired, request);
        acquired.lost().whenComplete((reason, never) -> world.onLost(this, acquired, reason));
        if (world.variant().releasesWhenLost()) {
            acquired.lost().whenComplete((reason, never) -> acquired.releaseAsync());
        }
        boolean isLong = !world.isHealing() && !world.isSlow() && (world.holdsMany() || random.nextInt(3) == 0);
        boolean isCrowded = world.isCrowded() && !world.holdsMany();
        long shortly = isCrowded ? SECOND / 4 : 3 * SECOND;
        long work = random.nextLong(isLong && !isCrowded ? 60 * SECOND : shortly);
        process.later(world.isSlow() ? work + until(work, ROUND) : work, this::end);
    }

    private void end() {
        HeldLease ending = lease;
        if (dead || ending == null) {
            return;
        }
        lease = null;
        boolean mayRecord = world.recordsRuns() && !world.isHealing() && random.nextBoolean();
        LeaseRunOutcome drawn = asked == null ? null : world.progress().outcome(asked);
        LeaseRunOutcome outcome = drawn != null ? drawn : mayRecord ? LeaseRunOutcome.SUCCEEDED : null;
        boolean recordsRun = outcome == LeaseRunOutcome.SUCCEEDED;
        if (outcome != null) {
            ending.recordRun(outcome);
        }
        world.onReleased(ending);
        boolean holds = cooldown > 0 || holdsAtLeast;
        long begun = world.now(); // the process may pause while it releases
        long remaining = ending.remaining().toNanos();
        if (recordsRun && asked != null) {
            world.runs().onSucceeded(ending, asked, begun + (long) (process.trueNanos(remaining) * 0.998));
        }
        boolean wasTaken = world.isTaken(ending);
        ending.releaseAsync().thenRun(() -> {
            if (!dead && !holds) {
                world.onReleaseDone(this, ending);
            }
        });
        if (wasTaken && ending.lossReason().isEmpty()) {
            world.fail(process + " releases " + ending + " as held although another owner has it");
        }
        if (cooldown > 0 && remaining > 0) {
            boolean records = outcome != null || (asked != null && asked.isResumable());
            world.onKept(this, ending, begun, cooldown, remaining, !records && !holdsAtLeast);
        }
        again(random.nextLong(world.isCrowded() ? SECOND / 20 : 2 * SECOND));
    }

    /** Returns whether the process runs and this body waits for any permit of the key. */
    boolean hasWait() {
        return waiting && !dead && process.isRunning();
    }

    /** Returns the time from which this body could have got what it waits for: its process was running. */
    long waitingSince() {
        return Math.max(waitingSince, process.stoppedUntil());
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

    boolean isPassive() {
        return passive;
    }

    /** Notes that the lease is being extended up to this true time. */
    void mayLastUntil(long end) {
        endsBefore = Math.max(endsBefore, end);
    }

    /** Returns the true time at which a hold limit, or the ttl of a passive lease, has ended it. */
    long endsBefore() {
        return endsBefore;
    }

    /** Whether the lease is valid for this body. Remembers the validity that the lease reported. */
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

    /** Whether this body still works and its lease once reported a validity beyond the current time. */
    boolean wasPromised() {
        return !dead && lease != null && world.now() < promisedUntil;
    }

    @Override
    public String toString() {
        return process + " with " + lease;
    }
}
