package io.leasekit.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Outcome of acquiring many locks with 50 threads.
 *
 * @param count the number of locks that were acquired
 * @param failed the number of locks that were not acquired, because of an error or of the time limit
 * @param seconds the time from the first attempt to the end of the last one
 */
record Acquired(int count, int failed, double seconds) {

    private static final int THREADS = 50;

    /** Acquires the locks of these keys. Those that are not acquired within the limit count as failed. */
    static Acquired acquire(Holding holding, List<String> keys, Duration limit) throws InterruptedException {
        AtomicInteger acquired = new AtomicInteger();
        AtomicReference<Exception> failure = new AtomicReference<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (String key : keys) {
            tasks.add(() -> {
                try {
                    holding.acquire(key);
                    acquired.incrementAndGet();
                } catch (Exception e) {
                    failure.compareAndSet(null, e);
                }
                return null;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, Acquired::daemon);
        long begun = System.nanoTime();
        try {
            threads.invokeAll(tasks, limit.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            threads.shutdownNow();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        int count = acquired.get();
        if (count < keys.size()) {
            System.err.println("Acquired " + count + " of " + keys.size() + " locks in " + Values.round(seconds)
                    + " s, limit " + limit + "; first failure: " + failure.get());
        }
        return new Acquired(count, keys.size() - count, seconds);
    }

    /** Returns a thread that does not keep the process alive. */
    static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
