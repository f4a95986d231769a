package io.leasekit.store;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * One page of a search for leases that are held or kept. The store examines some items, in an order of its own, and returns
 * those that have a version and whose key begins with the prefix.
 *
 * @param prefix the prefix of the keys; empty: any key
 * @param limit the maximum number of items to examine, at least 1
 * @param after the key after which the page begins, which need not exist; {@code null}: the first page
 */
public record LeaseScan(String prefix, int limit, @Nullable String after) {
    @Override
    public String toString() {
        return Text.record("LeaseScan", "prefix, limit, after", prefix, limit, after);
    }
}
