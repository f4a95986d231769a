package io.leasekit;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/** What came of {@link LeaseManager#forceRelease(String, long)}. Immutable, so thread-safe. */
public sealed interface ForcedRelease {

    /** Returns whether the lease is its holder's no more: it renews it no longer. */
    default boolean isDone() {
        return this instanceof Done;
    }

    /**
     * The lease was taken from its holder.
     *
     * @param key the lease's key
     * @param fencingToken the lease's token
     */
    record Done(String key, long fencingToken) implements ForcedRelease {
        @Override
        public String toString() {
            return Text.record("Done", "key, fencingToken", key, fencingToken);
        }
    }

    /**
     * The table does not show the lease with this token as held; nothing was changed.
     *
     * @param seen what it shows: another's lease, or a released one; {@code null}: nothing
     */
    record NotHeld(@Nullable LeaseInfo seen) implements ForcedRelease {}

    /** The consent to free a lease under a holder that may go on: two may then run. */
    enum TwoMayRun {
        /** The lease is free at once, while its holder believes in it until its next renewal, or longer. */
        IMMEDIATELY
    }
}
