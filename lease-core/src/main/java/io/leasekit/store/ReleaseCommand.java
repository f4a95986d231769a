package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to release a lease (step 5.3 in {@code docs/protocol.md}). A store applies the command if the item's
 * version is in {@link #own} or in {@link #predecessor}, and all conditions on records (the guards of {@link #edits})
 * hold. A release removes a waiter's mark (see {@link MarkCommand}).
 *
 * @param own all versions that the acquire and the renewals of the lease may have written
 * @param predecessor the versions of the lease that another caller of this process has handed over; {@code null} if the
 *     lease was not handed over
 */
@Internal
public record ReleaseCommand(
        String key, VersionRange own, @Nullable VersionRange predecessor, Form form, Edits edits)
        implements LeaseCommand {

    public ReleaseCommand {
        if (form instanceof Delete && !edits.sets().values().isEmpty()) {
            throw new IllegalArgumentException(
                    "Records " + edits.sets() + " cannot be written into an item that is deleted");
        }
    }

    @Override
    public String toString() {
        return Text.record("ReleaseCommand", "key, own, predecessor, form, edits", key, own, predecessor, form, edits);
    }

    /** The state of the item after a release. */
    public sealed interface Form permits Retain, Hold, Delete {}

    /**
     * The release frees the key, and the item keeps its fencing token. The release removes the item's version and the
     * stored ttl.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     */
    public record Retain(long expiry, long releasedAtMillis) implements Form {}

    /**
     * A hold: a lease without a holder, which keeps all owners from the key until the hold ends.
     *
     * @param version a version that differs from the versions of all leases, so that no process can renew the hold
     * @param durationMillis the ttl, in milliseconds; a process that has seen the version unchanged for the ttl may
     *     acquire the key
     * @param token the largest fencing token that the acquire has sent; the release writes the token only if
     *     {@link Edits#keptUntil} is given
     */
    public record Hold(String version, long expiry, long durationMillis, long releasedAtMillis, long token)
            implements Form {}

    /** The release deletes the item, including the fencing token and the records, so the key has no item afterwards. */
    public record Delete() implements Form {}
}
