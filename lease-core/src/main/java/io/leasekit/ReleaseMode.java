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
     * The release deletes the item. But if a deletion would lose the record of a run, or if later fencing tokens might
     * not be larger than the current token, the release keeps the item as {@link #RETAIN} does.
     */
    DELETE
}
