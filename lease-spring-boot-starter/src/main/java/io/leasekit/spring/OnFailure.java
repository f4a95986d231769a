package io.leasekit.spring;

/** Outcome of a run that failed, for methods that run once for each slot or named run. */
public enum OnFailure {
    /** {@link #DONE} for the slots of a scheduled method, {@link #RETRY} for named runs. */
    AUTO,
    /**
     * The run is done, and no process runs it again. A run that fails while its application shuts down is not done,
     * because the shutdown may have caused the failure.
     */
    DONE,
    /**
     * The run is not done. The next call for the run executes it. For a scheduled method, a node that is waiting for
     * this slot executes it at once. A node that failed does not repeat the slot, unless the method is called again.
     */
    RETRY
}
