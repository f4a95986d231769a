package io.leasekit.spring;

/** Outcome of a run that failed, for methods that run once for each slot or named run. */
public enum OnFailure {
    /** Same as {@link #DONE} for slots of a scheduled method, and same as {@link #RETRY} for named runs. */
    AUTO,
    /**
     * The run is done, and no process runs it again. However, a run that fails while its application shuts down is not
     * done, because the shutdown may have caused the failure.
     */
    DONE,
    /**
     * The run is not done. The next call for the run executes the run again. If a slot of a scheduled method fails,
     * another node that is waiting for this slot executes it at once. The node on which the slot failed executes it
     * again only if the method is called again.
     */
    RETRY
}
