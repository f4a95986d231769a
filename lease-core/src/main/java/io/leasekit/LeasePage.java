package io.leasekit;

import io.leasekit.text.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the leases that the table shows as held or kept by a hold, in no particular order. The page may have fewer
 * leases than requested, even none, without being the last page. Immutable, so thread-safe.
 *
 * <p>On DynamoDB, the list is a {@code Scan}: AWS charges for the examined items, not for the leases found. One read
 * unit covers about 15 to 20 items, including released items and items of other keys. A page takes up to 10 requests
 * for up to 1,000 items each.
 *
 * @param leases the leases
 * @param next the start of the next page ({@link LeaseQuery#after(String)}); {@code null} if this is the last page
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
