package io.leasekit.spring.call;

import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * Threads for methods that return a stage. The caller of such a method continues while the lease is acquired, so
 * another thread calls the method. The threads of the application's executors are not suitable: all of them might be
 * waiting for the futures of such calls, for example in {@code @Async} methods. A thread ends when it has been idle for
 * a second. Thread-safe.
 */
final class CallThreads {

    private static final Logger log = LoggerFactory.getLogger(CallThreads.class);

    private static final boolean PROPAGATION =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallThreads.class.getClassLoader());

    private final AtomicInteger count = new AtomicInteger();
    private final Executor threads = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), this::newThread);

    private Thread newThread(Runnable task) {
        // the thread serves other callers later, so it must not inherit thread-locals from the caller that created it
        Thread thread = new Thread(null, task, "lease-call-" + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns an executor whose tasks run with the context class loader of the thread that calls this method. If
     * Micrometer's context propagation is on the class path, the tasks also see the registered thread-locals of that
     * thread. If no thread can run a task, the submitting thread runs it.
     */
    Executor withContextOfCaller() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Executor executor = task -> threads.execute(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            task.run();
        });
        return RunOnce.onOrHere(PROPAGATION ? Propagation.ofCaller(executor) : executor);
    }

    /** A separate class, because Micrometer's context propagation may be absent. */
    private static final class Propagation {

        static Executor ofCaller(Executor executor) {
            ContextSnapshot ofCaller;
            try {
                ofCaller = ContextSnapshotFactory.builder().build().captureAll();
            } catch (Throwable e) { // thrown by an accessor of the application: the tasks run without thread-locals
                Quietly.run(() -> log.warn("Thread-locals of a caller cannot be passed on: {}", Text.why(e)));
                return executor;
            }
            return task -> executor.execute(() -> run(new RunOnce(task), ofCaller));
        }

        /**
         * Runs the task, even if an accessor of the application throws. If an accessor throws, the thread ends after
         * the task, because the thread may still have thread-locals of the caller.
         */
        private static void run(RunOnce task, ContextSnapshot ofCaller) {
            try {
                ofCaller.wrap(task).run();
            } finally {
                task.run();
            }
        }
    }
}
