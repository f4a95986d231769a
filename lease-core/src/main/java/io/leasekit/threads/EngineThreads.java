package io.leasekit.threads;

import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Internal;
import io.leasekit.internal.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of an engine, unless its builder was given others. All are daemons, start when they are needed, and end
 * after ten idle seconds. Not thread-safe.
 */
@Internal
public final class EngineThreads {

    private static final long IDLE_SECONDS = 10;
    private static final int SENDERS = 2; // one may block in the SDK, for example while credentials are refreshed
    private static final int EVENTS = 4;
    private static final int GRANTS = 16;
    private static final int LOSSES = 64;

    private final List<Runnable> closers = new ArrayList<>();

    public EngineTime time() {
        SystemTime time = new SystemTime();
        closers.add(time::close);
        return time;
    }

    /** Returns the threads that call the store. */
    public Executor senders() {
        return pool("lease-sender-", SENDERS, SENDERS, new LinkedBlockingQueue<>());
    }

    /** Returns the threads that run listeners. */
    public Executor events() {
        return pool("lease-callback-", EVENTS, EVENTS, new LinkedBlockingQueue<>());
    }

    /** Returns the threads that complete the futures of acquires and releases. */
    public Executor grants() {
        return pool("lease-grant-", GRANTS, GRANTS, new LinkedBlockingQueue<>());
    }

    /**
     * Returns the threads that tell of losses. They have no queue, so no loss waits behind a slow one. After the close,
     * each task has a thread of its own, because callers may still wait for the end of an acquire.
     */
    public Executor losses() {
        ThreadPoolExecutor threads = pool("lease-loss-", 0, LOSSES, new SynchronousQueue<>());
        RejectedExecutionHandler busy = threads.getRejectedExecutionHandler();
        threads.setRejectedExecutionHandler((task, rejecting) -> {
            if (rejecting.isShutdown()) {
                rejecting.getThreadFactory().newThread(task).start();
            } else {
                busy.rejectedExecution(task, rejecting);
            }
        });
        return threads;
    }

    /** Closes what this has created. */
    public void close() {
        closers.forEach(Runnable::run);
    }

    private ThreadPoolExecutor pool(String name, int core, int most, BlockingQueue<Runnable> queue) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(core, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, task -> {
            Thread thread = new Thread(task, name + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        if (core > 0) {
            threads.allowCoreThreadTimeOut(true);
        }
        closers.add(threads::shutdown);
        return threads;
    }
}
