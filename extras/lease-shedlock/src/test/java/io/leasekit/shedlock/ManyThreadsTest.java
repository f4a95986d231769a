package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of two managers count up under ShedLock's executor; a count that is lost shows two holders at once. */
class ManyThreadsTest {

    private static final int THREADS = 8;
    private static final int SECTIONS = 100;

    private final int[] counts = new int[2]; // each guarded by its lock only

    @Test
    @Timeout(600)
    void noTwoThreadsHaveOneLock() throws Exception {
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (LeaseManager one = manager(table);
                LeaseManager two = manager(table)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                LockingTaskExecutor executor =
                        new DefaultLockingTaskExecutor(new LeaseLockProvider(i < THREADS / 2 ? one : two));
                int counter = i % counts.length;
                tasks.add(() -> count(executor, counter));
            }
            for (Future<Void> task : threads.invokeAll(tasks)) {
                task.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counts).containsOnly(THREADS / counts.length * SECTIONS);
    }

    private static LeaseManager manager(InMemoryLeaseStore table) {
        return LeaseManager.builder(table)
                .storeTimeout(Duration.ofMinutes(10)) // a busy machine may run no thread for seconds
                .build();
    }

    private Void count(LockingTaskExecutor executor, int counter) {
        for (int done = 0; done < SECTIONS; ) {
            LockConfiguration lock = new LockConfiguration(
                    Instant.now(), "lock-" + counter, Duration.ofMinutes(5), Duration.ofMillis(2));
            int[] sections = {0};
            executor.executeWithLock(
                    (Runnable) () -> {
                        int seen = counts[counter];
                        Thread.yield();
                        counts[counter] = seen + 1;
                        sections[0]++;
                    },
                    lock);
            done += sections[0];
        }
        return null;
    }
}
