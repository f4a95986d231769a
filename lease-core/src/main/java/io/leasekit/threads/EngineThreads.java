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

/** The default threads of an engine: daemon threads that start when needed. Not thread-safe. */
@Internal
public final class EngineThreads {

    private static final long IDLE_SECONDS = 10;
    private static final long IDLE_MILLIS_AFTER_CLOSE = 1;
    // The SDK may block one sender thread, for example while the SDK loads credentials.
    private static final int SENDERS = 2;
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

    /** The executor rejects a task if all threads are busy, because {@link Losses} has its own queue. */
    public Executor losses() {
        return lasting("lease-loss-", 0, LOSSES, new SynchronousQueue<>());
    }

    public void close() {
        closers.forEach(Runnable::run);
    }

    /** After a close, the executor still runs tasks, because a caller may still wait for an acquire or a release. */
    private Executor lasting(String name, int core, int most, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor threads = pool(name, core, most, queue);
        closers.add(() -> threads.setKeepAliveTime(IDLE_MILLIS_AFTER_CLOSE, TimeUnit.MILLISECONDS));
        return threads;
    }

    private static ThreadPoolExecutor pool(String name, int core, int most, BlockingQueue<Runnable> queue) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(core, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, task -> {
            // The thread inherits no thread-locals from the caller that starts the thread, because the thread also runs
            // tasks of other callers.
            Thread thread = new Thread(null, task, name + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
