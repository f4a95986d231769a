package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lease, by an ordinary acquire or by a hand-over. In a hand-over, a caller passes its lease
 * on to another caller of the same process (protocol 6.2).
 *
 * <p>This Javadoc is the normative text for the condition in step 5.1 of {@code docs/protocol.md}. A store applies the
 * attempt if and only if all of the following conditions hold. A missing item counts as an item without attributes.
 *
 * <ol>
 *   <li>The key may be acquired, because at least one of the following conditions holds:
 *       <ul>
 *         <li>free: the item has no version, so nobody holds the lease;
 *         <li>expired: {@link #freeBelow} is given, and the item's expiry is before {@link #freeBelow};
 *         <li>dead: the item's version is {@link #deadVersion}, whose holder is known to be dead;
 *         <li>own: the item's version is one of the versions {@link #own}, which earlier attempts of this acquire
 *             wrote;
 *         <li>handed over: the item's version is in {@link #predecessor}, so another caller of this process hands its
 *             lease over to this acquire.
 *       </ul>
 *   <li>The token grows: the item has no token, or its token is below {@link #token}.
 *   <li>All conditions on records (the guards of {@link #edits}) hold.
 * </ol>
 *
 * <p>An applied attempt sets all attributes of a lease and removes the time of the last release. Unless
 * {@link #predecessor} is given, an applied attempt also removes a waiter's mark.
 *
 * @param durationMillis the ttl of the lease, in milliseconds. The holder counts as dead once another process has seen
 *     the version unchanged for the ttl (protocol 4.3)
 * @param freeBelow a time that has certainly passed, in epoch seconds; {@code null} if DynamoDB's time is unknown or
 *     the attempt must not overwrite an expired lease
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
