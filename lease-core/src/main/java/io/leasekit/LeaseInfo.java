package io.leasekit;

import java.time.Instant;
import java.util.StringJoiner;
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
 * @param expiresAt when it ends at the latest if it is not renewed: by its stored end, or, if that is sooner or not to be
 *     used, by having been seen unchanged for its ttl; {@code null}: it is not held, or that is not known
 * @param releasedAt when it was released; {@code null}: it was not, or the table does not show it
 * @param lastRun the last run that was recorded; {@code null}: the table shows none
 */
public record LeaseInfo(
        String key,
        boolean held,
        @Nullable String owner,
        long fencingToken,
        @Nullable Instant acquiredAt,
        @Nullable Instant expiresAt,
        @Nullable Instant releasedAt,
        @Nullable LeaseRun lastRun) {

    /** A lease of which no run is recorded. */
    public LeaseInfo(
            String key,
            boolean held,
            @Nullable String owner,
            long fencingToken,
            @Nullable Instant acquiredAt,
            @Nullable Instant expiresAt,
            @Nullable Instant releasedAt) {
        this(key, held, owner, fencingToken, acquiredAt, expiresAt, releasedAt, null);
    }

    /** {@code observedEnd}: when the item has been seen unchanged for so long that it counts as over; null: not known. */
    static LeaseInfo of(LeaseItem item, @Nullable Instant observedEnd) {
        boolean held = item.version() != null;
        return new LeaseInfo(
                item.key(),
                held,
                item.owner(),
                item.token() == null ? 0 : item.token(),
                instant(item.acquiredAtMillis()),
                held ? earlier(expiry(item.expiry()), observedEnd) : null,
                instant(item.releasedAtMillis()),
                item.lastRun());
    }

    /** What somebody wrote into the table need not be a time. */
    private static @Nullable Instant expiry(@Nullable Long seconds) {
        if (seconds == null || seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            return null;
        }
        return Instant.ofEpochSecond(seconds);
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /** Who has it, for the middle of a sentence: what is not known is left out. */
    String inWords() {
        if (!held) {
            return "another";
        }
        StringJoiner known = new StringJoiner(", ", " (", ")").setEmptyValue("");
        if (fencingToken != 0) {
            known.add("token " + fencingToken);
        }
        if (acquiredAt != null) {
            known.add("acquired at " + acquiredAt);
        }
        if (expiresAt != null) {
            known.add("until " + expiresAt + " if it is not renewed");
        }
        return (owner == null ? "another" : "owner " + Text.quote(owner)) + known;
    }

    @Override
    public String toString() {
        return "LeaseInfo[key=" + Text.quote(key) + ", held=" + held + ", owner=" + Text.quote(owner)
                + ", fencingToken="
                + fencingToken + ", acquiredAt=" + acquiredAt + ", expiresAt=" + expiresAt + ", releasedAt="
                + releasedAt + ", lastRun=" + lastRun + "]";
    }
}
