package io.leasekit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the table shows of one lease, for people and for reports; nothing is decided by it. Times are DynamoDB's, to about
 * a second.
 *
 * @param key the lease's key
 * @param held whether the table shows the lease as held or kept; its holder may be dead
 * @param owner the owner's name, after a release the last owner's; {@code null}: the table does not show one
 * @param fencingToken the fencing token of the lease, 0: the table does not show one
 * @param acquiredAt when it was acquired; {@code null}: the table does not show it
 * @param expiresAt when it ends at the latest if it is not renewed; {@code null}: it is not held, or the table does not
 *     show it
 * @param releasedAt when it was released; {@code null}: it was not, or the table does not show it
 */
public record LeaseInfo(
        String key,
        boolean held,
        @Nullable String owner,
        long fencingToken,
        @Nullable Instant acquiredAt,
        @Nullable Instant expiresAt,
        @Nullable Instant releasedAt) {

    static LeaseInfo of(LeaseItem item) {
        boolean held = item.version() != null;
        return new LeaseInfo(
                item.key(),
                held,
                item.owner(),
                item.token() == null ? 0 : item.token(),
                instant(item.acquiredAtMillis()),
                held ? expiry(item.expiry()) : null,
                instant(item.releasedAtMillis()));
    }

    /** What somebody wrote into the table need not be a time. */
    private static @Nullable Instant expiry(@Nullable Long seconds) {
        if (seconds == null || seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            return null;
        }
        return Instant.ofEpochSecond(seconds);
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    @Override
    public String toString() {
        return "LeaseInfo[key=" + Text.quote(key) + ", held=" + held + ", owner=" + Text.quote(owner)
                + ", fencingToken="
                + fencingToken + ", acquiredAt=" + acquiredAt + ", expiresAt=" + expiresAt + ", releasedAt="
                + releasedAt + "]";
    }
}
