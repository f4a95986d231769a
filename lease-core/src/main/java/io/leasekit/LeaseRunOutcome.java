package io.leasekit;

/** The outcome of the work under a lease, as reported by {@link Lease#recordRun(LeaseRunOutcome)}. */
public enum LeaseRunOutcome {
    /** The work succeeded. The run is done. */
    SUCCEEDED,
    /** The work failed. The run still counts as done. */
    FAILED,
    /**
     * The work failed, and the run does not count as done: the next acquire for it is granted. Only the history of a
     * key shows this.
     */
    RETRY,
    /**
     * The work was asked to stop ({@link Lease#stopRequested()}), and is not done: another owner, or a later call, goes on
     * with it. As for {@link #RETRY}, the next acquire for the run is granted, and only the history of a key shows this. The
     * request's {@code holdAtLeast} and {@code cooldown} do not apply: they follow the end of the run.
     */
    STOPPED
}
