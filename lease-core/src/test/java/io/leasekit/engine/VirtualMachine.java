package io.leasekit.engine;

import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A machine in virtual time. A test can set its wall clock wrong, stop it, or suspend it. Its monotonic clock wraps
 * soon after the start.
 */
public class VirtualMachine implements EngineTime {

    /** Chosen so that the nanoseconds wrap in most tests. */
    private static final long ORIGIN = Long.MAX_VALUE - 2 * EngineTime.SECOND;

    private final VirtualTime time;
    private final List<Runnable> deferred = new ArrayList<>();
    private double drift;
    private double wallDrift;
    private long wallOffset;
    private long stoodStill;
    private boolean stopped;

    public VirtualMachine(VirtualTime time) {
        this.time = time;
    }

    @Override
    public long nanos() {
        return ORIGIN + (long) ((time.elapsed() - stoodStill) * (1 + drift));
    }

    @Override
    public long wallMillis() {
        long elapsed = (long) (time.elapsed() * (1 + wallDrift));
        return VirtualTime.START.toEpochMilli() + (wallOffset + elapsed) / EngineTime.MILLI;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Runnable[] action = {task};
        runAt(nanos() + delayNanos, () -> action[0].run());
        return () -> action[0] = () -> {}; // keeps nothing of the task, as a cancelled timer of the system
    }

    private void runAt(long due, Runnable task) {
        time.schedule((long) Math.ceil((due - nanos()) / (1 + drift)), () -> {
            if (stopped) {
                deferred.add(() -> runAt(due, task));
            } else if (due - nanos() > 0) {
                runAt(due, task); // the machine was suspended meanwhile, or rounding lost a nanosecond
            } else {
                task.run();
            }
        });
    }

    public void jumpWallClock(Duration by) {
        wallOffset += by.toNanos();
    }

    /** Sets the drift of the clocks since the start. Must be called before the clocks are first read. */
    void drift(double monotonicPpm, double wallPpm) {
        drift = monotonicPpm / 1e6;
        wallDrift = wallPpm / 1e6;
    }

    /** Stops all code of this machine for this time, like SIGSTOP does. Both clocks continue. */
    void stop(Duration duration) {
        stopped = true;
        time.advance(duration);
        goOn();
    }

    /** Suspends the machine for this time. The wall clock continues, the monotonic clock stands still. */
    public void suspend(Duration duration) {
        stopped = true;
        time.advance(duration);
        stoodStill += duration.toNanos();
        goOn();
    }

    private void goOn() {
        stopped = false;
        deferred.forEach(Runnable::run);
        deferred.clear();
    }
}
