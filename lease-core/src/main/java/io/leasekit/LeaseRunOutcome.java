package io.leasekit;

/** The outcome of the work under a lease, as reported to {@link Lease#recordRun(LeaseRunOutcome)}. */
public enum LeaseRunOutcome {
    /** The work succeeded. The run is done. */
    SUCCEEDED,
    /** The work failed. The run still counts as done. */
    FAILED,
    /**
     * The work failed, and the run does not count as done: the next acquire for this run is granted. {@code RETRY} is
     * shown only in the history of the key.
     */
    RETRY,
    /**
     * The work was asked to stop ({@link Lease#stopRequested()}) before it was done. The run does not count as done:
     * another owner or a later call may continue the work. After a stopped run, the request's {@code holdAtLeast} and
     * {@code cooldown} have no effect, because the run is to be continued. {@code STOPPED} is shown only in the history
     * of the key.
     */
    STOPPED
}
