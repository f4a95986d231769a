package io.leasekit;

import io.leasekit.text.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the leases that the table shows as held. The page includes released leases whose {@code holdAtLeast} or
 * {@code cooldown} has not ended. The leases on a page have no particular order. Any page, not only the last, may have
 * fewer leases than requested, or none. Immutable, so thread-safe.
 *
 * <p>On DynamoDB, the leases are read by a {@code Scan}: AWS charges for all examined items, not only for the leases
 * found. The examined items include items of released leases and of keys that do not match the query. One read unit
 * covers about 15 to 20 items. A page takes up to 10 requests, and each request examines up to 1,000 items.
 *
 * @param leases the leases that were found for this page
 * @param next the value to pass to {@link LeaseQuery#after(String)} for the next page; {@code null} if this is the last
 *     page
 */
public record LeasePage(List<LeaseInfo> leases, @Nullable String next) {

    /** Copies the list. */
    public LeasePage {
        leases = List.copyOf(leases);
    }

    @Override
    public String toString() {
        return Text.record("LeasePage", "leases, next", leases, next);
    }
}
