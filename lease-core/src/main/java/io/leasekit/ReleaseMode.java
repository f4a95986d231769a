package io.leasekit;

/** The effect of a release on the item. */
public enum ReleaseMode {
    /**
     * Keeps the item, without its version, for the retention. The fencing token survives, and the last owner stays
     * visible.
     */
    RETAIN,
    /**
     * Deletes the item where that endangers no fencing token and no record of a run. Otherwise keeps it as
     * {@link #RETAIN} does.
     */
    DELETE
}
