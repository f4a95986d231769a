package io.leasekit.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;

/** What lives on the heap. */
final class Heap {

    private static final int COLLECTIONS = 3;

    private Heap() {}

    /** The bytes that the last of several full collections left: not what has been allocated since. */
    static long used() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Work.pause(50);
        }
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed())
                .sum();
    }
}
