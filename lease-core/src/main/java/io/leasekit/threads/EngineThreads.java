package io.leasekit.threads;

import io.leasekit.internal.Internal;
import io.leasekit.time.EngineTime;
import io.leasekit.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The default threads of an engine. All threads of an engine are daemon threads and start when needed. While the engine
 * is open, a thread ends when the thread has been idle for ten seconds; after the close of the engine, an idle thread
 * ends sooner. The timer thread ends only after the close. Not thread-safe.
 */
@Internal
public final class EngineThreads {

    private static final long IDLE_SECONDS = 10;
    private static final long IDLE_MILLIS_AFTER_CLOSE = 1;
    private static final int SENDERS = 2; // one thread may block in the SDK, for example to load credentials
    private static final int EVENTS = 4;
    private static final int GRANTS = 16;
    private static final int LOSSES = 64;

    private final List<Runnable> closers = new ArrayList<>();

    public EngineTime time() {
        SystemTime time = new SystemTime();
        closers.add(time::close);
        return time;
    }

    public Executor senders() {
        return lasting("lease-sender-", SENDERS, SENDERS, new LinkedBlockingQueue<>());
    }

    public Executor events() {
        ThreadPoolExecutor threads = pool("lease-callback-", EVENTS, EVENTS, new LinkedBlockingQueue<>());
        closers.add(threads::shutdown);
        return threads;
    }

    public Executor grants() {
        return lasting("lease-grant-", GRANTS, GRANTS, new LinkedBlockingQueue<>());
    }

    /**
     * Returns the executor that {@link Losses} uses. If all its threads are busy, the executor rejects a task instead
     * of putting it into a queue.
     */
    public Executor losses() {
        return lasting("lease-loss-", 0, LOSSES, new SynchronousQueue<>());
    }

    public void close() {
        closers.forEach(Runnable::run);
    }

    /**
     * Returns threads that run tasks even after the close of the engine, because a caller might still wait for an
     * acquire or a release.
     */
    private Executor lasting(String name, int core, int most, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor threads = pool(name, core, most, queue);
        closers.add(() -> threads.setKeepAliveTime(IDLE_MILLIS_AFTER_CLOSE, TimeUnit.MILLISECONDS));
        return threads;
    }

    private static ThreadPoolExecutor pool(String name, int core, int most, BlockingQueue<Runnable> queue) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(core, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, task -> {
            // Without thread-locals, because not only the caller that starts this thread uses the thread.
            Thread thread = new Thread(null, task, name + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
