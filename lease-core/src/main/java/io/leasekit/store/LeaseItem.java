package io.leasekit.store;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * What the table holds of one key. An attribute that is absent, or that only informs and has another type than it should,
 * is {@code null}.
 *
 * @param key the lease's key
 * @param version the version; absent means released
 * @param expiry the end, in epoch seconds
 * @param durationMillis the ttl in force, in milliseconds
 * @param token the fencing token
 * @param owner the owner's name
 * @param acquiredAtMillis when it was acquired, in epoch milliseconds
 * @param releasedAtMillis when it was released, in epoch milliseconds
 * @param waitingSinceMillis since when another process waits for it, in epoch milliseconds; {@code null}: none said so
 * @param lastRun the last run; {@code null}: none is recorded
 */
public record LeaseItem(
        String key,
        @Nullable String version,
        @Nullable Long expiry,
        @Nullable Long durationMillis,
        @Nullable Long token,
        @Nullable String owner,
        @Nullable Long acquiredAtMillis,
        @Nullable Long releasedAtMillis,
        @Nullable Long waitingSinceMillis,
        @Nullable ItemRun lastRun) {

    /** An item that no waiter has marked and that shows no run. */
    public LeaseItem(
            String key,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable String owner,
            @Nullable Long acquiredAtMillis,
            @Nullable Long releasedAtMillis) {
        this(key, version, expiry, durationMillis, token, owner, acquiredAtMillis, releasedAtMillis, null, null);
    }

    /** An item that shows no run. */
    public LeaseItem(
            String key,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable String owner,
            @Nullable Long acquiredAtMillis,
            @Nullable Long releasedAtMillis,
            @Nullable Long waitingSinceMillis) {
        this(
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                waitingSinceMillis,
                null);
    }

    /** Returns whether the item shows that a run of that name is done. */
    public boolean isDone(String run) {
        return lastRun != null && lastRun.covers(run);
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseItem",
                "key, version, expiry, durationMillis, token, owner, acquiredAtMillis, releasedAtMillis, waitingSinceMillis, lastRun",
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                waitingSinceMillis,
                lastRun);
    }
}
