package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lease, either an ordinary acquire or a hand-over from another tenure of the same process
 * (protocol 6.2).
 *
 * <p>This is the normative text of the condition of step 5.1 in {@code docs/protocol.md}. The attempt is applied if and
 * only if all of the following hold. A missing item counts as an item without attributes.
 *
 * <ol>
 *   <li>The lease may be taken for at least one of these reasons:
 *       <ul>
 *         <li>free: the item has no version;
 *         <li>expired: {@link #freeBelow} is given, and the item has an expiry below it;
 *         <li>dead: the item's version is {@link #deadVersion};
 *         <li>own: the item's version is in {@link #own}, so an earlier attempt of this acquire wrote it;
 *         <li>handed over: the item's version is in {@link #predecessor}.
 *       </ul>
 *   <li>The token grows: the item has no token, or its token is below {@link #token}.
 *   <li>The guards of {@link #edits} hold: the run is not done, and no record is removed too early.
 * </ol>
 *
 * <p>An applied attempt sets all attributes of a lease and removes the time of the last release. The attempt removes a
 * waiter's mark unless {@link #predecessor} is given.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis the time for which this write claims the lease, in milliseconds: once an observer has seen the
 *     version unchanged for this time, the holder counts as dead (protocol 4.3)
 * @param token the fencing token to write
 * @param owner the owner's name, for people
 * @param acquiredAtMillis the time of the attempt, in epoch milliseconds, for people
 * @param freeBelow the time below which an expiry has passed, in epoch seconds; {@code null}: unknown
 * @param deadVersion a version whose holder is known to be dead; {@code null}: none
 * @param own the versions of earlier attempts of this tenure; {@code null}: none
 * @param predecessor the versions of the tenure that hands its lease over; {@code null}: no hand-over
 * @param edits the records
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
