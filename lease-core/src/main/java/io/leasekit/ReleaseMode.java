package io.leasekit;

/** The effect of a release on the item. */
public enum ReleaseMode {
    /**
     * Keeps the item, without its version, for the retention. The fencing token is kept, and the last owner stays
     * visible.
     */
    RETAIN,
    /**
     * Deletes the item, unless that would endanger a fencing token or the record of a run. In that case, keeps the item
     * as {@link #RETAIN} does.
     */
    DELETE
}
