package io.leasekit.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;

/** Measures the live heap. */
final class Heap {

    private static final int COLLECTIONS = 3;

    private Heap() {}

    /** Returns the bytes in use after the last of several full collections, without later allocations. */
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
