package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.ReleaseMode;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** A process with its own clocks, a manager, and bodies that acquire leases and rely on them. */
final class SimProcess implements EngineTime {

    private static final long SECOND = EngineTime.SECOND;

    private final Simulation world;
    private final SimFaults faults;
    private final RandomGenerator random;
    private final int number;
    private final double rate;
    private final long monotonicOrigin;
    private final double wallRate;
    private long wallOffset;
    private long stoodStill;
    private int incarnation;
    private long stoppedUntil = Long.MIN_VALUE;
    private boolean suspended;
    private LeaseManager manager;
    private final List<SimBody> bodies = new ArrayList<>();

    SimProcess(Simulation world, SimFaults faults, int number) {
        this.world = world;
        this.faults = faults;
        this.number = number;
        this.random = world.random("process", number);
        this.rate = 1 + (random.nextDouble() - 0.5) * 0.001;
        this.monotonicOrigin = random.nextBoolean() ? Long.MAX_VALUE - 30 * SECOND : random.nextLong(100_000) * SECOND;
        this.wallRate = faults.wallClocks() ? 1 + (random.nextDouble() - 0.5) * 0.0004 : 1;
        this.wallOffset = faults.wallClocks() ? random.nextLong(-3_600, 3_600) * SECOND : 0;
        this.manager = newManager();
    }

    private LeaseManager newManager() {
        long ttl = Simulation.SHORTEST_TTL + random.nextLong(3) * 2 * SECOND;
        return new EngineBuilder(way())
                .losses(task -> later(0, task))
                .sender(task -> later(senderDelay(), task))
                .rules(world.rules(this))
                .time(this)
                .random(world.random("engine " + number, incarnation))
                .pauses(world.pauses().any())
                .owner("process-" + number)
                .ttl(Duration.ofNanos(ttl))
                .releaseMode(
                        faults.removal() == SimFaults.Removal.ALWAYS && random.nextBoolean()
                                ? ReleaseMode.DELETE
                                : ReleaseMode.RETAIN)
                .retention(Duration.ofMinutes(15))
                .observationTime(Duration.ofSeconds(random.nextBoolean() ? 30 : 300))
                .closeTimeout(Duration.ofSeconds(3))
                .callbackExecutor(task -> later(0, task))
                .build();
    }

    /** Returns how long a sender thread takes to begin a task; the SDK may have blocked it. */
    private long senderDelay() {
        if (!faults.busySenders()) {
            return 0;
        }
        RandomGenerator by = world.random("sender " + number, world.now());
        return switch (by.nextInt(100)) {
            case 0 -> by.nextLong(3 * SECOND);
            case 1, 2, 3 -> by.nextLong(SECOND / 5);
            default -> 0;
        };
    }

    /** Returns a network to the table and back to this incarnation. */
    SimNet way() {
        return new SimNet(world, this, faults);
    }

    // ---- clocks

    @Override
    public long nanos() {
        world.mayPassTime(this);
        return monotonic();
    }

    private long monotonic() {
        return monotonicOrigin + (long) ((world.elapsed() - stoodStill) * rate);
    }

    @Override
    public long wallMillis() {
        return (Simulation.START + wallOffset + (long) (world.elapsed() * wallRate)) / EngineTime.MILLI;
    }

    long trueNanos(long monotonicNanos) {
        return (long) Math.ceil(monotonicNanos / rate) + 1;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        boolean[] cancelled = {false};
        long due = monotonic() + delayNanos;
        scheduleAt(due, () -> {
            if (!cancelled[0]) {
                task.run();
            }
        });
        return () -> cancelled[0] = true;
    }

    private void scheduleAt(long due, Runnable task) {
        RandomGenerator by = world.random("timer " + number, due);
        long lateness = by.nextInt(20) == 0 ? by.nextLong(SECOND / 10) : 0;
        later(trueNanos(due - monotonic()) + lateness, () -> {
            if (due - monotonic() > 0) {
                scheduleAt(due, task); // the monotonic clock stood still meanwhile
            } else {
                task.run();
            }
        });
    }

    /** Runs the task in this process unless it is killed before. A stopped process runs the task when it continues. */
    void later(long delayNanos, Runnable task) {
        int current = incarnation;
        world.at(world.now() + Math.max(0, delayNanos), () -> runOrDefer(current, task));
    }

    /** Runs the task, only in this incarnation of the process. */
    void runOrDefer(int sameIncarnation, Runnable task) {
        if (incarnation != sameIncarnation) {
            return;
        }
        if (isStopped()) {
            RandomGenerator by = world.random("deferred " + number, stoppedUntil);
            world.at(stoppedUntil + by.nextLong(SECOND / 100), () -> runOrDefer(sameIncarnation, task));
        } else {
            task.run();
        }
    }

    boolean isStopped() {
        return world.now() < stoppedUntil;
    }

    /** Returns the end of the last stop; {@code Long.MIN_VALUE}: there was none. */
    long stoppedUntil() {
        return stoppedUntil;
    }

    int incarnation() {
        return incarnation;
    }

    // ---- faults

    void stop(long nanos, boolean suspend) {
        if (isStopped()) {
            return;
        }
        stoppedUntil = world.now() + nanos;
        suspended = suspend;
        if (suspend) {
            // the monotonic clock stands still, the wall clock continues
            world.log(() -> this + " suspended for " + Duration.ofNanos(nanos));
            long begun = world.elapsed();
            world.at(stoppedUntil, () -> stoodStill += world.elapsed() - begun);
            bodies.forEach(body -> world.extensions().suspended(body, nanos));
        } else {
            world.log(() -> this + " stopped for " + Duration.ofNanos(nanos));
        }
    }

    /** A jump back by the length of a suspend would hide the suspend, so a suspended process jumps forward. */
    void jumpWallClock(long drawn) {
        long nanos = isStopped() && suspended ? Math.abs(drawn) : drawn;
        world.log(() -> this + " wall clock jumps by " + Duration.ofNanos(nanos));
        wallOffset += nanos;
    }

    void kill() {
        world.log(() -> this + " killed");
        restart();
    }

    private void restart() {
        incarnation++;
        bodies.forEach(SimBody::die);
        bodies.clear();
        manager = newManager();
        startBodies();
    }

    void closeInOrder() {
        world.log(() -> this + " closes");
        manager.closeAsync().whenComplete((done, never) -> later(0, this::restart));
    }

    void startBodies() {
        world.watches().begin(this, manager);
        int count = (world.isSlow() ? 9 : world.holdsMany() ? 5 : world.isCrowded() ? 3 : 1) + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            SimBody body = new SimBody(world, this, i);
            bodies.add(body);
            later(random.nextLong(2 * SECOND), body::acquire);
        }
    }

    /** Whether one of the bodies has had no lease since the faults ended. */
    boolean hasAHungryBody() {
        return bodies.stream().anyMatch(SimBody::isHungry);
    }

    List<SimBody> bodies() {
        return bodies;
    }

    CompletableFuture<Optional<Lease>> acquire(LeaseRequest request) {
        return manager.acquireAsync(request);
    }

    /** Whether the code of this process runs. A stopped process relies on no lease. */
    boolean isRunning() {
        return !isStopped();
    }

    @Override
    public String toString() {
        return "process-" + number;
    }
}
