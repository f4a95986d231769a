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
    RETRY
}
