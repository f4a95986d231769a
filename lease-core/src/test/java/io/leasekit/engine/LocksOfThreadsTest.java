package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseLock;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks under real threads of two processes, in real time. */
@Timeout(600)
class LocksOfThreadsTest {

    private static final int THREADS = 6;
    private static final int TURNS = 50;

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private int counter; // guarded by the lock, and by nothing else

    @Test
    void threadsOfTwoProcessesExcludeEachOther() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (LeaseManager here = manager();
                LeaseManager other = manager()) {
            CompletableFuture<?>[] counting = IntStream.range(0, THREADS)
                    .mapToObj(i -> i % 2 == 0 ? here : other)
                    .map(leases -> CompletableFuture.runAsync(() -> count(leases), threads))
                    .toArray(CompletableFuture[]::new);

            CompletableFuture.allOf(counting).join();

            assertThat(counter).isEqualTo(THREADS * TURNS);
            assertThat(here.held()).isEmpty();
            assertThat(other.held()).isEmpty();
        } finally {
            threads.shutdown();
        }
    }

    private LeaseManager manager() {
        return LeaseManager.builder(table)
                .storeTimeout(Duration.ofMinutes(10)) // a busy machine may run no thread for seconds
                .build();
    }

    private void count(LeaseManager leases) {
        for (int i = 0; i < TURNS; i++) {
            LeaseLock lock = leases.lock("counter");
            lock.lock();
            try {
                countAgain(leases);
            } finally {
                lock.unlock();
            }
        }
    }

    private void countAgain(LeaseManager leases) {
        LeaseLock same = leases.lock("counter");
        same.lock();
        try {
            counter++;
        } finally {
            same.unlock();
        }
    }
}
