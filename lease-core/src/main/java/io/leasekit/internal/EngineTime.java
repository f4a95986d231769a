package io.leasekit.internal;

/** The only source of time and scheduling for the engine. Thread-safe. */
@Internal
public interface EngineTime {

    /** Returns the monotonic clock, in nanoseconds from an arbitrary origin. It may stop while the machine is suspended. */
    long nanos();

    /** Returns the local wall clock, in epoch milliseconds. It serves only to detect jumps. */
    long wallMillis();

    /** Runs the task once after the delay, never within this call, on a thread that runs no code of users. */
    Timer schedule(long delayNanos, Runnable task);

    /** A scheduled task. */
    @Internal
    interface Timer {
        /** Cancels the task if it has not started. */
        void cancel();
    }
}
