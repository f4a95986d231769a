package io.leasekit;

import io.leasekit.internal.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the leases that the table shows as held or kept, in no particular order. It may have fewer leases than were asked
 * for, even none, and still not be the last. Immutable, so thread-safe.
 *
 * @param leases the leases
 * @param next where the next page begins ({@link LeaseQuery#after(String)}); {@code null}: this is the last page
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
