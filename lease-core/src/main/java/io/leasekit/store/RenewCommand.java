package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to renew a lease (step 5.2 in {@code docs/protocol.md}). The command is applied if the item's version is
 * in {@link #own}.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis the time for which this write claims the lease, in milliseconds; see {@link AcquireCommand}
 * @param own all versions that this tenure may have written before this attempt
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: {@link #expiry}.
 *     If an acquire of the tenure set such a time, each renewal of the tenure must set a time, too
 * @param progress the progress to write; {@code null}: the item keeps its progress
 * @param history the text of the run history to write; {@code null}: the item keeps its text
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

    /** Creates an attempt without progress and history, for an item that has no records to keep. */
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
