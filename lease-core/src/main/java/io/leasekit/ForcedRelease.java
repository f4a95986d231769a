package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link LeaseManager#forceRelease(String, long)}. Immutable, so thread-safe.
 *
 * <p>If a hold keeps the lease ({@link LeaseRequest#holdAtLeast}), it stays kept until the hold ends. If the hold is
 * short and not written to the table, the lease stays kept until its ttl ends. With {@link TwoMayRun#IMMEDIATELY}, the
 * lease is free at once. A lease without a token, written by a client of the Rust crate, cannot be released by force.
 */
public sealed interface ForcedRelease {

    /** Returns whether the lease was taken from its holder, whose renewals are refused from now on. */
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
     * The table does not show the lease with this token as held. In most cases nothing was changed. But if the reply to
     * an earlier attempt of this call was lost, that attempt may have freed the lease, and the owner in {@code seen}
     * may have acquired it since.
     *
     * @param seen the item that the table shows: another owner's lease, or a released lease; {@code null} if there is
     *     no item
     */
    record NotHeld(@Nullable LeaseInfo seen) implements ForcedRelease {}

    /** The consent to free a lease while its holder may still run, so that two holders may run. */
    enum TwoMayRun {
        /**
         * Frees the lease at once. The holder trusts its lease until its next renewal is refused or the lease expires.
         */
        IMMEDIATELY
    }
}
