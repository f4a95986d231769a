package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lease: an ordinary acquire, or a hand-over, in which one caller of a process passes its
 * lease on to another caller (protocol 6.2).
 *
 * <p>This Javadoc is the normative text of the condition of step 5.1 in {@code docs/protocol.md}. A store applies the
 * attempt if and only if all of the following conditions hold. A missing item counts as an item without attributes.
 *
 * <ol>
 *   <li>The lease may be taken, because at least one of these conditions holds:
 *       <ul>
 *         <li>free: the item has no version, so nobody holds the lease;
 *         <li>expired: {@link #freeBelow} is given, and the item has an expiry below {@link #freeBelow};
 *         <li>dead: the item's version is {@link #deadVersion};
 *         <li>own: the item's version is in {@link #own}, so an earlier attempt of this acquire wrote the version;
 *         <li>handed over: the item's version is in {@link #predecessor}, so another caller of this process hands its
 *             lease over to this acquire.
 *       </ul>
 *   <li>The token grows: the item has no token, or its token is below {@link #token}.
 *   <li>All conditions on records (the guards of {@link #edits}) hold. They ensure that the requested run is not done
 *       yet, and that item TTL does not remove a record too early.
 * </ol>
 *
 * <p>An applied attempt sets all attributes of a lease and removes the time of the last release. An applied attempt
 * also removes the mark of a waiter, unless {@link #predecessor} is given.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end of the lease that this write stores, in epoch seconds
 * @param durationMillis the ttl that this write stores, in milliseconds: once another process has seen the version
 *     unchanged for this time, the holder counts as dead (protocol 4.3)
 * @param token the fencing token to write
 * @param owner the owner's name, for display
 * @param acquiredAtMillis the time of the attempt, in epoch milliseconds, for display
 * @param freeBelow the time before which an expiry has certainly passed, in epoch seconds; {@code null} if DynamoDB's
 *     time is unknown
 * @param deadVersion a version whose holder is known to be dead; {@code null} if no such version is known
 * @param own the versions of earlier attempts of this acquire; {@code null} for the first attempt
 * @param predecessor the versions of the lease that another caller of this process hands over; {@code null} for an
 *     ordinary acquire
 * @param edits the conditions on records (guards) and the changes of records
 */
@Internal
public record AcquireCommand(
        String key,
        String version,
        long expiry,
        long durationMillis,
        long token,
        String owner,
        long acquiredAtMillis,
        @Nullable Long freeBelow,
        @Nullable String deadVersion,
        @Nullable VersionRange own,
        @Nullable VersionRange predecessor,
        Edits edits)
        implements LeaseCommand {

    @Override
    public String toString() {
        return Text.record(
                "AcquireCommand",
                "key, version, expiry, durationMillis, token, owner, acquiredAtMillis, freeBelow, deadVersion, own, predecessor, edits",
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                freeBelow,
                deadVersion,
                own,
                predecessor,
                edits);
    }
}
