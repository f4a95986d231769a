package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * One attempt to renew a lease (step 5.2 in {@code docs/protocol.md}). The command is applied if the item's version is
 * in {@link #own}.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis the time for which this write claims the lease, in milliseconds; see {@link AcquireCommand}
 * @param own all versions that this tenure may have written before this attempt
 * @param edits the records, without guards
 */
@Internal
public record RenewCommand(String key, String version, long expiry, long durationMillis, VersionRange own, Edits edits)
        implements LeaseCommand {

    @Override
    public String toString() {
        return Text.record(
                "RenewCommand",
                "key, version, expiry, durationMillis, own, edits",
                key,
                version,
                expiry,
                durationMillis,
                own,
                edits);
    }
}
