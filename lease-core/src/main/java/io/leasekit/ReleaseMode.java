package io.leasekit;

/** The effect of a release on the lease's item. */
public enum ReleaseMode {
    /**
     * The release keeps the item in the table for the {@linkplain LeaseManagerBuilder#retention retention}, and removes
     * only the version, which marks the lease as held. After the release, the item still shows the fencing token and
     * the last owner.
     */
    RETAIN,
    /**
     * The release deletes the item. The release keeps the item, as with {@link #RETAIN}, if a deletion would lose the
     * record of a run or might make later fencing tokens smaller.
     */
    DELETE
}
