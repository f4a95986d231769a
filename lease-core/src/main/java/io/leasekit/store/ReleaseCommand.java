package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to release a lease (step 5.3 in {@code docs/protocol.md}). The command is applied if the item's version
 * is in {@link #own} or in {@link #predecessor}, and the guards of {@link #edits} hold. The release removes a waiter's
 * mark.
 *
 * @param key the lease's key
 * @param own all versions that this tenure may have written
 * @param predecessor the versions of the earlier tenure that hands its lease over to this tenure; {@code null}: none
 * @param form the state of the item after the release
 * @param edits the records
 */
@Internal
public record ReleaseCommand(
        String key, VersionRange own, @Nullable VersionRange predecessor, Form form, Edits edits)
        implements LeaseCommand {

    /**
     * Checks that a release that deletes the item records nothing.
     *
     * @throws IllegalArgumentException if the release deletes the item and has records to write
     */
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
     * A free item that keeps its token. The release removes the version and the duration.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     */
    public record Retain(long expiry, long releasedAtMillis) implements Form {}

    /**
     * A hold, which is a lease without a holder. Nobody can acquire the key until the hold ends.
     *
     * @param version a version of a new tenure that belongs to no process
     * @param expiry the end of the hold, in epoch seconds
     * @param durationMillis the time after which an observer that has seen no change may take the key over, in
     *     milliseconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     * @param token the largest token that the tenure has sent; written only if {@link Edits#keptUntil} is given
     */
    public record Hold(String version, long expiry, long durationMillis, long releasedAtMillis, long token)
            implements Form {}

    /** No item: the release deletes the item with its token and its records. */
    public record Delete() implements Form {}
}
