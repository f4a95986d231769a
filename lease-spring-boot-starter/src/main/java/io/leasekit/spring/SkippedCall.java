package io.leasekit.spring;

import io.leasekit.LeasePause;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method that did not run the method. If it was a firing that belongs to a run, this node may still
 * execute that run later, if the holder does not finish it.
 *
 * @param method the qualified name of the method
 * @param name the name of the lease: the key as written in the annotation, or the default key
 * @param manager the name of the manager; {@code default} for the only or primary one
 * @param reason the reason for skipping it
 * @param pause the pause, which says until when, by whom and why; {@code null} unless the reason is a pause
 */
public record SkippedCall(
        String method,
        String name,
        String manager,
        Reason reason,
        @Nullable LeasePause pause) {

    /** Reason for skipping a call. */
    public enum Reason {
        /** Another owner held the lease. */
        UNAVAILABLE,
        /** The lease was paused. */
        PAUSED,
        /** The store failed. */
        STORE_FAILURE
    }
}
