package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The item of one key. A component is {@code null} if the component's attribute is absent or unusable.
 *
 * @param expiry the end of the lease or, after a release, the time from which item TTL may remove the item; in epoch
 *     seconds
 * @param waitingSinceMillis the time at which a waiter in another process marked the item, in epoch milliseconds;
 *     {@code null} if the item has no mark
 */
@Internal
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
        Records records) {

    public LeaseItem(
            String key,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable String owner,
            @Nullable Long acquiredAtMillis,
            @Nullable Long releasedAtMillis) {
        this(
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                null,
                Records.NONE);
    }

    /**
     * Returns the time from which item TTL may remove the item, in epoch seconds; {@code null} if item TTL may never
     * remove the item.
     */
    public @Nullable Long removableFrom() {
        return records.keptUntil() == null ? expiry : records.keptUntil();
    }

    public LeaseItem with(Records other) {
        return Changes.with(this, waitingSinceMillis, other);
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseItem",
                "key, version, expiry, durationMillis, token, owner, acquiredAtMillis, releasedAtMillis, waitingSinceMillis, records",
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                waitingSinceMillis,
                records);
    }
}
