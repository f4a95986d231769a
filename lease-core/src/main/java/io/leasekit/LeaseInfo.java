package io.leasekit;

import io.leasekit.internal.Text;
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

    @Override
    public String toString() {
        return Text.record(
                "LeaseInfo",
                "key, held, owner, fencingToken, acquiredAt, expiresAt, releasedAt, lastRun",
                key,
                held,
                owner,
                fencingToken,
                acquiredAt,
                expiresAt,
                releasedAt,
                lastRun);
    }
}
