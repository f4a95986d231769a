package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * One attempt to renew a lease (step 5.2 in {@code docs/protocol.md}). A store applies the command if the item's
 * version is in {@link #own}.
 *
 * @param own all versions that the acquire of the lease and its renewals may have written before this attempt
 * @param edits the changes of records; a renewal has no guards
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
