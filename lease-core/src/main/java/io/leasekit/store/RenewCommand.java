package io.leasekit.store;

import io.leasekit.text.Text;

/**
 * One attempt to renew a lease (step 5.2 in {@code docs/protocol.md}). It is applied if the item's version is in {@link #own}.
 *
 * @param key the lease's key
 * @param version the version to write
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis the ttl, in milliseconds
 * @param own all versions that this tenure may have written before this attempt
 */
public record RenewCommand(String key, String version, long expiry, long durationMillis, VersionRange own)
        implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record(
                "RenewCommand", "key, version, expiry, durationMillis, own", key, version, expiry, durationMillis, own);
    }
}
