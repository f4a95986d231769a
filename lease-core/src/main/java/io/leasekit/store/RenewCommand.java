package io.leasekit.store;

import io.leasekit.internal.Text;

/**
 * One attempt to move a lease's end (protocol step 5.2). It is applied when the item's version is in {@link #own}.
 *
 * @param key the lease's key
 * @param version the version that this attempt writes
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
