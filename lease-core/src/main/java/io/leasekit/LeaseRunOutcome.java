package io.leasekit;

/** How the work under a lease ended, as {@link Lease#recordRun(LeaseRunOutcome)} is told. */
public enum LeaseRunOutcome {
    /** As it should. The run is done. */
    SUCCEEDED,
    /** With an error, and the run counts as done all the same. */
    FAILED,
    /** With an error, and the run does not count as done: the next acquire for it is granted. The table never shows this. */
    RETRY
}
