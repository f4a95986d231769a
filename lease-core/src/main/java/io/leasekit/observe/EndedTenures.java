package io.leasekit.observe;

import java.util.UUID;

/**
 * The tenures of this process that ended most recently. One array holds all these tenures. Separate objects would live
 * until 1,000 further leases have ended, and would cost the garbage collector more than the rest of {@link Observer}. A
 * search scans the whole array, which takes little time compared with the request before it. Not thread-safe.
 */
final class EndedTenures {

    private final long[] halves; // two for each tenure
    private long added;

    /** {@code most}: the largest number of tenures to remember. */
    EndedTenures(int most) {
        halves = new long[2 * most];
    }

    /** Adds a tenure. If the array is full, the new tenure replaces the oldest. */
    void add(UUID tenure) {
        int at = (int) (2 * added++ % halves.length);
        halves[at] = tenure.getMostSignificantBits();
        halves[at + 1] = tenure.getLeastSignificantBits();
    }

    boolean contains(UUID tenure) {
        int end = (int) Math.min(2 * added, halves.length); // the rest of the array is still zero
        for (int at = 0; at < end; at += 2) {
            if (halves[at] == tenure.getMostSignificantBits() && halves[at + 1] == tenure.getLeastSignificantBits()) {
                return true;
            }
        }
        return false;
    }
}
