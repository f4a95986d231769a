package io.leasekit.spring;

/**
 * Whether a failed run counts as done or is executed again. Runs are either runs of slots (times of the method's cron
 * expression) or named runs. See {@link DistributedLease#once()}.
 */
public enum OnFailure {
    /** Same as {@link #DONE} for runs of slots, and same as {@link #RETRY} for named runs. */
    AUTO,
    /**
     * A failed run counts as done, and no process executes it again. A run that fails during the shutdown of its
     * application does not count as done, because the shutdown may be the cause.
     */
    DONE,
    /**
     * A failed run does not count as done, and the next call for the run executes it again. If the run of a slot fails,
     * another node that waits for this run executes it at once. The node on which a run failed repeats the run only if
     * the method is called again.
     */
    RETRY
}
