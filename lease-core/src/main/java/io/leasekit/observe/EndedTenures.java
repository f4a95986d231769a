package io.leasekit.observe;

import java.util.UUID;

/**
 * The tenures that ended most recently. They are in one array: objects that live for 1,000 leases would cost the garbage
 * collector more than the rest of {@link Observer} takes. A search reads all of it, which is little against the request
 * before it. Not thread-safe.
 */
final class EndedTenures {

    private final long[] halves; // two of each tenure
    private long added;

    /** {@code most}: the number of tenures that are remembered. */
    EndedTenures(int most) {
        halves = new long[2 * most];
    }

    /** Remembers a tenure; that of the earliest call is forgotten. */
    void add(UUID tenure) {
        int at = (int) (2 * added++ % halves.length);
        halves[at] = tenure.getMostSignificantBits();
        halves[at + 1] = tenure.getLeastSignificantBits();
    }

    boolean contains(UUID tenure) {
        int end = (int) Math.min(2 * added, halves.length); // behind it are no tenures, but zeros
        for (int at = 0; at < end; at += 2) {
            if (halves[at] == tenure.getMostSignificantBits() && halves[at + 1] == tenure.getLeastSignificantBits()) {
                return true;
            }
        }
        return false;
    }
}
