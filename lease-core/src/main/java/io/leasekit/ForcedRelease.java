package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link LeaseManager#forceRelease(String, long)}. Immutable, so thread-safe.
 *
 * <p>If the lease has a hold, which keeps other owners from the key for a time ({@link LeaseRequest#holdAtLeast}), the
 * key stays taken until the hold ends. If a short hold was not written to the table, the key stays taken until the ttl
 * of the lease ends. With {@link TwoMayRun#IMMEDIATELY}, the key is free at once even if the lease has a
 * {@code holdAtLeast}. A lease that was written by the Rust crate {@code dynamodb-lease} has no token, so it cannot be
 * released by force.
 */
public sealed interface ForcedRelease {

    /** Returns whether the lease was taken from its holder. If so, the holder's renewals are refused from now on. */
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
     * The table does not show a held lease with this token. In most cases, the forced release has changed nothing. But
     * if the reply to one of its requests was lost, that request may have freed the lease, and the owner in
     * {@code seen} may have acquired the key since.
     *
     * @param seen the item that the table shows: another owner's lease, or a released lease; {@code null} if the table
     *     has no item for the key
     */
    record NotHeld(@Nullable LeaseInfo seen) implements ForcedRelease {}

    /**
     * The caller's consent to free a lease although its holder may still run, so that two holders may run at the same
     * time.
     */
    enum TwoMayRun {
        /**
         * Frees the lease at once. The previous holder trusts its lease until the next renewal is refused or the lease
         * expires.
         */
        IMMEDIATELY
    }
}
