package io.leasekit.store;

import io.leasekit.internal.Text;

/**
 * Tells the holder of a lease that another process waits for it, so that it does not hand it on within its own for ever. It is
 * applied when the item has a version and nobody has marked it; nothing but the mark changes.
 *
 * @param key the lease's key
 * @param waitingSinceMillis since when, in epoch milliseconds
 */
public record MarkCommand(String key, long waitingSinceMillis) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("MarkCommand", "key, waitingSinceMillis", key, waitingSinceMillis);
    }
}
