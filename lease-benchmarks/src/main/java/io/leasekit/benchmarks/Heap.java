package io.leasekit.benchmarks;

import java.lang.management.ManagementFactory;

/** What lives on the heap. */
final class Heap {

    private static final int COLLECTIONS = 3;

    private Heap() {}

    /** The bytes that are left after full collections. */
    static long used() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Work.pause(50);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
