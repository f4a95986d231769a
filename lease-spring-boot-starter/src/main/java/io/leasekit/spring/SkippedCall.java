package io.leasekit.spring;

import io.leasekit.LeasePause;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method that Leasekit skipped. If the holder does not finish a scheduled run, this node might
 * execute the run later.
 *
 * @param method the qualified name of the method
 * @param name the name of the lease: the key as written in the annotation, or the default key
 * @param manager the name of the manager; {@code default} for the only or primary manager
 * @param reason the reason why the call was skipped
 * @param pause the pause, with its end, author and reason; {@code null} unless the reason is {@link Reason#PAUSED}
 */
public record SkippedCall(
        String method,
        String name,
        String manager,
        Reason reason,
        @Nullable LeasePause pause) {

    /** Reason why a call was skipped. */
    public enum Reason {
        /** Another owner held the lease. */
        UNAVAILABLE,
        /** The lease was paused. */
        PAUSED,
        /** The store failed. */
        STORE_FAILURE
    }
}
