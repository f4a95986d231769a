package io.leasekit;

/** The effect of a release on the item. */
public enum ReleaseMode {
    /**
     * The release keeps the item in the table for the {@linkplain LeaseManagerBuilder#retention retention}, and removes
     * only the version, which marks the lease as held. After the release, the item still shows the fencing token and
     * the last owner.
     */
    RETAIN,
    /**
     * The release deletes the item. If, after a deletion, a later fencing token might not be larger, or the record of a
     * run would be lost, the release keeps the item as {@link #RETAIN} does.
     */
    DELETE
}
