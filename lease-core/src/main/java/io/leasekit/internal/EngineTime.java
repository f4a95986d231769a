package io.leasekit.internal;

/** Where time and scheduling enter the engine: the only place. Thread-safe. */
@Internal
public interface EngineTime {

    /** Returns the monotonic clock, in nanoseconds from any origin; it may stand still while the machine is suspended. */
    long nanos();

    /** Returns the local wall clock, in epoch milliseconds. It decides nothing; its jumps are looked for. */
    long wallMillis();

    /** Runs the task once, after the delay, on a thread that no user's code runs on; never within this call. */
    Timer schedule(long delayNanos, Runnable task);

    /** A task that waits for its time. */
    interface Timer {
        /** Keeps the task from running if it has not begun. */
        void cancel();
    }
}
