package io.leasekit.store;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * One look at a part of the table for leases that are held or kept. It examines some items, in an order that is the store's
 * own, and finds those among them that have a version and whose key begins with the prefix.
 *
 * @param prefix what the keys begin with; empty: any
 * @param limit how many items to examine at most, at least 1
 * @param after the key after which to go on, which need not exist; {@code null}: from the beginning
 */
public record LeaseScan(String prefix, int limit, @Nullable String after) {
    @Override
    public String toString() {
        return Text.record("LeaseScan", "prefix, limit, after", prefix, limit, after);
    }
}
