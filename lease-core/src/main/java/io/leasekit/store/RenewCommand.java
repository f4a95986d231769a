package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to renew a lease (step 5.2 in {@code docs/protocol.md}). It is applied if the item's version is in {@link #own}.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis for how long this write claims the lease, in milliseconds, see {@link AcquireCommand}
 * @param own all versions that this tenure may have written before this attempt
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: {@link #expiry}.
 *     If an acquire of the tenure set such a time, each of its renewals must set one
 * @param progress the progress to write; {@code null}: the progress in the item stays
 * @param history the text of the last runs to write; {@code null}: the text in the item stays
 */
@Internal
public record RenewCommand(
        String key,
        String version,
        long expiry,
        long durationMillis,
        VersionRange own,
        @Nullable Long keptUntil,
        @Nullable ItemProgress progress,
        @Nullable String history)
        implements LeaseCommand {

    /** Creates an attempt without progress and history for an item that has no records to keep. */
    public RenewCommand(String key, String version, long expiry, long durationMillis, VersionRange own) {
        this(key, version, expiry, durationMillis, own, null, null, null);
    }

    @Override
    public String toString() {
        return Text.record(
                "RenewCommand",
                "key, version, expiry, durationMillis, own, keptUntil, progress, history",
                key,
                version,
                expiry,
                durationMillis,
                own,
                keptUntil,
                progress,
                history);
    }
}
