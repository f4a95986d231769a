package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The item of one key. A component is {@code null} if the component's attribute is absent or unusable. Reading an item
 * fails if its version, its fencing token or a record in a write's condition has a wrong type or range.
 *
 * @param key the key of the lease
 * @param version the version; {@code null} if the lease was released
 * @param expiry the end of the lease, in epoch seconds
 * @param durationMillis the ttl that the last acquire or renewal wrote, in milliseconds
 * @param token the fencing token
 * @param owner the name of the owner
 * @param acquiredAtMillis the time of the acquire, in epoch milliseconds
 * @param releasedAtMillis the time of the release, in epoch milliseconds
 * @param waitingSinceMillis the time at which a waiter in another process marked the item, in epoch milliseconds;
 *     {@code null} if the item has no mark
 * @param records the attributes that features such as runs and progress store in the item
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

    /** Creates an item without a waiter's mark and without records. */
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
