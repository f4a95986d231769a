package io.leasekit;

/** What a release does with the item. */
public enum ReleaseMode {
    /** Keeps it, without its version, for the retention: the fencing token survives, the last owner can be seen. */
    RETAIN,
    /** Deletes it where that endangers no fencing token, keeps it as {@link #RETAIN} does elsewhere. */
    DELETE
}
