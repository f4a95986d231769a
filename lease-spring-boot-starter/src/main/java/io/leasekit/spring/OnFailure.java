package io.leasekit.spring;

/** Outcome of a run that ended with an error, for methods that run once for each slot or named run. */
public enum OnFailure {
    /** {@link #DONE} for the slots of a scheduled method, {@link #RETRY} for runs that the annotation names. */
    AUTO,
    /**
     * The run is done, and no process runs it again. A run that fails while its application shuts down is not done,
     * because the shutdown may have cut it off.
     */
    DONE,
    /**
     * The run is not done. The next call for it runs. For a scheduled method, a node that found the slot taken runs it
     * at once. No node runs the same slot twice unless it is called again.
     */
    RETRY
}
