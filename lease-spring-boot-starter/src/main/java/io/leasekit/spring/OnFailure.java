package io.leasekit.spring;

/**
 * Whether a failed run counts as done or is executed again. A run belongs to a slot (a time of the method's cron
 * expression), or has a name from the annotation.
 */
public enum OnFailure {
    /** Same as {@link #DONE} for runs of slots, and same as {@link #RETRY} for named runs. */
    AUTO,
    /**
     * A failed run counts as done, and no process executes the run again. A run that fails while its application shuts
     * down does not count as done, because the shutdown may have caused the failure.
     */
    DONE,
    /**
     * A failed run does not count as done, and the next call for the run executes the run again. If the run of a slot
     * fails, another node that waits for this run executes the run at once. The node on which the run failed executes
     * the run again only if the method is called again.
     */
    RETRY
}
