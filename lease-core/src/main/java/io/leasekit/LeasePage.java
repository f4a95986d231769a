package io.leasekit;

import io.leasekit.internal.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the leases that the table shows as held or kept by a hold, in no particular order. It may have fewer leases
 * than requested, even none, without being the last page. Immutable, so thread-safe.
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
