package io.leasekit;

/** The effect of a release on the item. */
public enum ReleaseMode {
    /**
     * Keeps the item in the table for the {@linkplain LeaseManagerBuilder#retention retention}, and removes only the
     * version, which marks the lease as held. The item still shows the fencing token and the last owner.
     */
    RETAIN,
    /**
     * Deletes the item. If a later fencing token might then not be larger, or if the record of a run would be lost,
     * keeps the item as {@link #RETAIN} does.
     */
    DELETE
}
