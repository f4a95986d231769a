package io.leasekit.storm;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The leases of one key in the order in which their grants reached their callers. */
final class GrantOrder {

    private final long[] times;
    private final long[] largest;

    GrantOrder(List<Held> leases) {
        List<Held> ordered =
                leases.stream().sorted(Comparator.comparing(Held::granted)).toList();
        times = ordered.stream().mapToLong(Held::granted).toArray();
        largest = ordered.stream().mapToLong(Held::token).toArray();
        Arrays.parallelPrefix(largest, Math::max);
    }

    /** Returns the largest token that was granted before this time; 0 if none was. */
    long largestBefore(long time) {
        int found = Arrays.binarySearch(times, time);
        int index = found < 0 ? -found - 1 : found;
        while (index > 0 && times[index - 1] == time) {
            index--;
        }
        return index == 0 ? 0 : largest[index - 1];
    }
}
