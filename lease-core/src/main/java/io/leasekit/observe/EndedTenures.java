package io.leasekit.observe;

import java.util.UUID;

/**
 * The ids of this process's leases that ended most recently. The ids are numbers in one array, because 1,000 separate
 * objects would burden the garbage collector. Not thread-safe.
 */
final class EndedTenures {

    private final long[] halves;
    private long added;

    EndedTenures(int most) {
        halves = new long[2 * most];
    }

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
