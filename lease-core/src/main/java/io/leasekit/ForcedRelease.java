package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link LeaseManager#forceRelease(String, long)}. Immutable, so thread-safe.
 *
 * <p>After a forced release, a key with {@link LeaseRequest#holdAtLeast} stays taken until {@code holdAtLeast} ends. If
 * a short {@code holdAtLeast} was not written to the table, the key stays taken until the lease expires. With
 * {@link TwoMayRun#IMMEDIATELY}, the key is free at once even if the lease has a {@code holdAtLeast}. A lease that was
 * written by the Rust crate {@code dynamodb-lease} has no token, so it cannot be released by force.
 */
public sealed interface ForcedRelease {

    /**
     * Returns whether the lease was taken from its holder. If {@code true}, the store refuses all further renewals of
     * the previous holder.
     */
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
     * The key has no held lease with the given fencing token. Unless a reply was lost, {@code forceRelease} has changed
     * nothing in the table. If a reply was lost, {@code forceRelease} may have freed the lease, and {@code seen} may
     * show a later owner.
     *
     * @param seen the item that the table shows: another owner's lease, or a released lease; {@code null} if the table
     *     has no item for the key
     */
    record NotHeld(@Nullable LeaseInfo seen) implements ForcedRelease {}

    /** The caller's consent that two holders may run at the same time. */
    enum TwoMayRun {
        /**
         * Frees the lease at once. The previous holder trusts its lease until its next renewal is refused or the lease
         * expires.
         */
        IMMEDIATELY
    }
}
