package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Ends a lease by force (step 5.9 in {@code docs/protocol.md}). The command is applied if the item has this token and
 * any version. The token stays, so applying the command again changes nothing.
 *
 * @param key the lease's key
 * @param token the fencing token of the lease
 * @param form the state of the item afterwards
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
     * A lease without a holder until the end of the revoked lease. Only the version changes, so the item refuses the
     * holder's renewals.
     *
     * @param version a version of a tenure that belongs to no process
     */
    public record Refuse(String version) implements Form {}

    /**
     * A free item that keeps its token, as after a release. The command removes the version.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis the time of the forced release, in epoch milliseconds, for people
     */
    public record Free(long expiry, long releasedAtMillis) implements Form {}
}
