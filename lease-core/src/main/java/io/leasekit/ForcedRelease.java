package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link LeaseManager#forceRelease(String, long)}. Immutable, so thread-safe.
 *
 * <p>A lease that is kept by a hold ({@link LeaseRequest#holdAtLeast}) stays kept until the hold ends, or until its ttl ends
 * if its short hold has not been written; with {@link TwoMayRun#IMMEDIATELY}, it is free at once. A lease without a token,
 * written by a client of the Rust crate, cannot be released by force.
 */
public sealed interface ForcedRelease {

    /** Returns whether the lease was taken from its holder: its renewals are refused from then on. */
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
     * The table does not show the lease with this token as held. Nothing was changed, unless the reply to an earlier attempt of
     * the call was lost, which may have freed the lease for the owner that is seen.
     *
     * @param seen the item that the table shows: another owner's lease, or a released one; {@code null} if there is no
     *     item
     */
    record NotHeld(@Nullable LeaseInfo seen) implements ForcedRelease {}

    /** The consent to free a lease while its holder may still run, so that two holders may run. */
    enum TwoMayRun {
        /** Frees the lease at once. The holder believes in its lease until the next renewal, or longer. */
        IMMEDIATELY
    }
}
