package io.leasekit.spring;

/** What a run that ended with an error counts as, where a method runs once for each slot or named run. */
public enum OnFailure {
    /** {@link #DONE} for the slots of a scheduled method, {@link #RETRY} for a run that the annotation names. */
    AUTO,
    /** The run is done: nobody runs it again. But one that fails while its application ends was cut off, and is not done. */
    DONE,
    /**
     * The run is not done: the next call for it runs, and of a scheduled method a node that found the slot taken runs it at
     * once. No node runs the same slot twice by itself.
     */
    RETRY
}
