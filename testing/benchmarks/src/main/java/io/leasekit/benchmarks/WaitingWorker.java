package io.leasekit.benchmarks;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Process that measures the memory of waiting acquires. Arguments: one key, or a key each; number of acquires. */
final class WaitingWorker {

    static final String ONE_KEY = "one key";
    static final String OWN_KEYS = "a key each";
    static final String BYTES = "bytes ";

    private static final long SETTLED_MILLIS =
            6_000; // all have asked, and looked after 2 s, when that request is too old for a grant

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final boolean oneKey;
    private final List<CompletableFuture<Optional<Lease>>> waiting;

    private WaitingWorker(boolean oneKey, int count) {
        this.oneKey = oneKey;
        this.waiting = new ArrayList<>(count);
    }

    /** Runs the process. */
    public static void main(String[] args) {
        ChildJvm.endWithParent();
        int count = Integer.parseInt(args[1]);
        long bytes = new WaitingWorker(args[0].equals(ONE_KEY), count).bytes(count);
        System.out.println(BYTES + bytes);
        Runtime.getRuntime().halt(0);
    }

    private long bytes(int count) {
        try (LeaseManager holder = leases(count);
                LeaseManager waiter = leases(count)) {
            for (int i = 0; i < count; i++) {
                if (i == 0 || !oneKey) {
                    hold(holder, key(i));
                }
            }
            int first = count / 2; // one-time allocations are done by then
            await(waiter, 0, first);
            long before = Heap.used();
            await(waiter, first, count);
            return (Heap.used() - before) / (count - first);
        }
    }

    private static void hold(LeaseManager holder, String key) {
        if (holder.tryAcquire(key).isEmpty()) {
            throw new IllegalStateException("Another owner holds " + key);
        }
    }

    private LeaseManager leases(int count) {
        return LeaseManager.builder(store)
                .maxWaitersPerKey(count)
                .closeTimeout(Duration.ofMillis(1))
                .build();
    }

    private void await(LeaseManager waiter, int from, int to) {
        for (int i = from; i < to; i++) {
            waiting.add(waiter.acquireAsync(LeaseRequest.of(key(i)).waitFor(Duration.ofHours(1))));
        }
        Work.pause(SETTLED_MILLIS);
    }

    private String key(int i) {
        return oneKey ? "key" : "key-" + i;
    }
}
