package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Ends a lease by force (step 5.9 in {@code docs/protocol.md}). A store applies the command if the item has a version
 * and the item's token equals {@link #token}. Applying the command twice has the same effect as applying it once.
 */
@Internal
public record RevokeCommand(String key, long token, Form form) implements LeaseCommand {

    @Override
    public String toString() {
        return Text.record("RevokeCommand", "key, token, form", key, token, form);
    }

    /** The state of the item after a forced release. */
    public sealed interface Form permits Refuse, Free {}

    /**
     * The item still looks like a held lease. No owner can acquire the key before the end of the revoked lease. The
     * command changes only the version, so the holder's renewals are refused.
     *
     * @param version a version that differs from the versions of all leases
     */
    public record Refuse(String version) implements Form {}

    /**
     * Frees the key as a release does: the command removes the item's version, but the item keeps its fencing token.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     */
    public record Free(long expiry, long releasedAtMillis) implements Form {}
}
