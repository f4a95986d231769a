package io.leasekit.store;

import io.leasekit.internal.Text;

/**
 * Takes a lease from its holder (protocol step 5.9). It is applied when the item has this token and a version, whoever's. The
 * token stays, so applying it again changes nothing.
 *
 * @param key the lease's key
 * @param token the fencing token of the lease
 * @param form what becomes of the item
 */
public record RevokeCommand(String key, long token, Form form) implements LeaseCommand {

    @Override
    public String toString() {
        return Text.record("RevokeCommand", "key, token, form", key, token, form);
    }

    /** What becomes of the item. */
    public sealed interface Form permits Refuse, Free {}

    /**
     * The holder's renewals are refused; nobody acquires before the lease would have ended by itself: only the version changes.
     *
     * @param version a version of the tenure that is nobody's
     */
    public record Refuse(String version) implements Form {}

    /**
     * The lease is free, as after a release: the version is removed, and the token kept.
     *
     * @param expiry when item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis when, in epoch milliseconds, for people
     */
    public record Free(long expiry, long releasedAtMillis) implements Form {}
}
